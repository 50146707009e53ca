package guard

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

var (
	taskBox    = regexp.MustCompile(`^\[[ xX]?\](?:\s|$)|^\[\^|\[\^[^\]\s]+\]`)
	openMarkup = regexp.MustCompile("`|<[A-Za-z/!?]|&#?[A-Za-z0-9]+;")
)

// checkMarkdown refuses text that is not one paragraph of words, emphasis,
// code spans and links inside the repository once it is parsed.
func checkMarkdown(src, _ string, _ int) *OutputError {
	if taskBox.MatchString(src) {
		return refuse("structure", "it begins like a task box or refers to a footnote")
	}
	source := []byte(src)
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	block := doc.FirstChild()
	if block == nil || block.NextSibling() != nil || block.Kind() != ast.KindParagraph {
		return refuse("structure", "it would start a heading, list, quote, fence, rule or definition; write one plain paragraph")
	}
	var broken *OutputError
	var prose strings.Builder
	walkErr := ast.Walk(block, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n == block {
			return ast.WalkContinue, nil
		}
		if broken = checkInline(n, source, &prose); broken != nil {
			return ast.WalkStop, nil
		}
		if n.Kind() == ast.KindCodeSpan {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	if walkErr != nil {
		return refuse("structure", "it cannot be read: %v", walkErr)
	}
	if broken != nil {
		return broken
	}
	// Unclosed here, it could be closed by what comes to stand beside it.
	if loose := openMarkup.FindString(prose.String()); loose != "" {
		return refuse("markup", "it holds a loose %q outside a code span", loose)
	}
	return nil
}

// checkInline checks one inline node; its text goes into prose.
func checkInline(n ast.Node, source []byte, prose *strings.Builder) *OutputError {
	switch node := n.(type) {
	case *ast.Image:
		return refuse("image", "it holds an image")
	case *ast.RawHTML:
		return refuse("html", "it holds HTML; put a tag into a code span")
	case *ast.AutoLink:
		return refuse("link", "it holds a link out of the repository")
	case *ast.Link:
		return checkLink(node)
	case *ast.Text:
		prose.Write(node.Segment.Value(source))
		return nil
	case *ast.CodeSpan, *ast.Emphasis, *ast.String:
		return nil
	default:
		return refuse("structure", "it holds %s", n.Kind())
	}
}

func checkLink(l *ast.Link) *OutputError {
	if len(l.Title) > 0 {
		return refuse("link", "a link's title does not show")
	}
	target, _, _ := strings.Cut(string(l.Destination), "#")
	if target == "" {
		return nil
	}
	for strings.HasPrefix(target, "../") || strings.HasPrefix(target, "./") {
		_, target, _ = strings.Cut(target, "/")
	}
	if err := CheckPath(strings.TrimSuffix(target, "/")); err != nil {
		return refuse("link", "a link must be a relative path inside the repository")
	}
	return nil
}
