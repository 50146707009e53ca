package audit

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/anchor"
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

// fetched reports whether a page says on another line where on the web a file of
// that name comes from: it is nobody's here.
func fetched(c *claim) bool {
	if !c.cand.Bare() || c.cand.Kind != knowledge.AnchorFile {
		return false
	}
	for l := range bytes.Lines(c.doc.Source) {
		if i := bytes.Index(l, []byte("://")); i >= 0 && bytes.Contains(l[i:], []byte("/"+c.cand.Path)) {
			return true
		}
	}
	return false
}

// humps are where the next word of a name begins.
var humps = regexp.MustCompile(`[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]`)

// unrelated reports whether the code that lost a word is not what the text is
// about. A record of a store is running text, in which any name may stand: where it
// is of two words, as everybody's are, the record must name the file as well. A key that pages beside the document still have is theirs.
func (a *auditor) unrelated(ctx context.Context, c *claim) bool {
	if c.cand.Kind != knowledge.AnchorSymbol || c.cand.Form == anchor.FormDeclared {
		return false
	}
	if c.doc.Format != knowledge.Store {
		return a.keyBeside(c)
	}
	if len(humps.FindAllString(c.cand.Path, -1)) > 1 || shouting.MatchString(c.cand.Path) {
		return false
	}
	_, _, file := a.tookIt(ctx, c)
	return file == "" || !strings.Contains(c.fact.Text, path.Base(file)) // its list of files is what a commit touched
}

// keyBeside reports whether a page in or below the document's directory has the
// word for a key of its front matter.
func (a *auditor) keyBeside(c *claim) bool {
	dir := path.Dir(c.doc.Path) + "/"
	if dir == "./" || strings.ToLower(c.cand.Path) != c.cand.Path {
		return false
	}
	for _, e := range a.entries {
		if strings.HasPrefix(e.Path, dir) && path.Ext(e.Path) == ".md" && bytes.Contains(a.code(e), []byte("\n"+c.cand.Path+":")) {
			return true
		}
	}
	return false
}
