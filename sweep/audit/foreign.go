package audit

import (
	"bytes"
	"context"
	"strings"
)

// owners are the first words of the variables that shells, CI services, clouds
// and model providers define. Code that reads one of these and stops to, has not
// taken it out of the world: a dependency may read it now.
var owners = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`ACTIONS ANTHROPIC AWS AZURE BASH BITBUCKET BUILDKITE CARGO CIRCLE CLAUDE
		CLOUDFLARE COHERE COMP DEEPSEEK DOCKER FIREWORKS GCP GEMINI GH GIT GITHUB GITLAB GOOGLE GROQ HF HUGGINGFACE
		JAVA KUBERNETES LANG LC MISTRAL NODE NPM NVIDIA OLLAMA OPENAI OPENROUTER OTEL PERPLEXITY PIP PYTHON READLINE
		RUNNER SENTRY SSH TOGETHER TRAVIS UV VERTEX VERTEXAI VIRTUAL XAI XDG ZSH`) {
		set[w] = true
	}
	return set
}()

// foreign reports whether a lost word is a variable that others define. Where
// the file that lost it still names another of the family, it was renamed here.
func (a *auditor) foreign(ctx context.Context, c *claim) bool {
	name := c.cand.Path
	family, _, ok := strings.Cut(name, "_")
	if !ok || !owners[family] || name != strings.ToUpper(name) {
		return false
	}
	by, _, file := a.tookIt(ctx, c)
	if file == "" {
		return true
	}
	tree, err := a.in.Repo.Tree(by.Tree)
	if err != nil {
		return true
	}
	e, ok, err := tree.Entry(file)
	return err != nil || !ok || !bytes.Contains(a.code(e), []byte(family+"_"))
}
