package guard

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/guard/canary"
)

// The attacks on text that a model wrote.

func TestAttack29SecretInOutput(t *testing.T) {
	t.Parallel()
	secret := "gh" + "p_" + canary.Fill(canary.Alnum, 36)
	var numbers, backwards []string
	for _, r := range secret {
		numbers = append(numbers, fmt.Sprint(r))
		backwards = append([]string{string(r)}, backwards...)
	}
	wide := strings.Map(func(r rune) rune { return r + 0xFEE0 }, secret)
	refused(t, "secret",
		"use "+secret+" here", "use `"+secret+"`",
		base64.StdEncoding.EncodeToString([]byte(secret)), "x "+base64.URLEncoding.EncodeToString([]byte("key="+secret))+" y",
		hex.EncodeToString([]byte(secret)), "bytes "+strings.TrimSpace(fmt.Sprintf("% x", secret)),
		strings.Join(backwards, ""), base64.StdEncoding.EncodeToString([]byte(strings.Join(backwards, ""))),
		"("+strings.Join(numbers, ", ")+")", strings.Join(strings.Split(secret, ""), " "), strings.Join(strings.Split(secret, ""), "-"),
		"100% q="+strings.ReplaceAll(secret, "_", "%5f"), "q="+strings.ReplaceAll(secret, "_", "%255f"), wide,
	)
	refused(t, "hidden", strings.Join(strings.Split(secret, ""), "\u200b"))
	for _, c := range canary.All() {
		if text := strings.TrimSpace(c.Before + c.Secret + c.After); !strings.Contains(text, "\n") {
			if _, err := OutputText(text, 4000); err == nil {
				t.Errorf("%s is published", c.Kind)
			}
		}
		if got := Title(c.Before+c.Secret+c.After, 400); canary.Leaks(got, c.Secret) {
			t.Errorf("%s stands in a title: %q", c.Kind, got)
		}
	}
	if _, err := OutputText("use "+secret+" here", 400); strings.Contains(err.Error(), secret) {
		t.Error("the error holds the secret")
	}
}

func TestAttack33MarkdownImage(t *testing.T) {
	t.Parallel()
	refused(t, "link",
		"![x](https://evil.example.net.attacker.dev/?q=1)", "[x](//evil.dev/a.png)", "see https://evil.dev/?q=x", "see <https://evil.dev>", "www.evil.dev is up", "data:image/png;base64,AAAA", "[x](javascript:alert)",
		"[x](https://evil.dev)", "`curl https://evil.dev/x`", "ftp://evil.dev", "[x](/etc/passwd)", "[x](../../.git/config)", "https://localhost.evil.dev/", "http://example.com:80/@evil.dev/", "ｈttps://evil.dev",
		"https://example.com/?q=secret",
	)
	refused(t, "image", "![x](a.png)", "text ![x](docs/a.svg) more")
	refused(t, "html", "a <img src=x>", "a <svg onload=x> b", "a <video src=a>")
	refused(t, "address", "http://example.com@evil.dev/")
	refused(t, "secret", "http://localhost:80@evil.dev/x")
	refused(t, "structure", "[x]: a.md", "<img src=x>", "[^1]: z")
	if got := Title("![x](https://evil.dev/?q=1) [a](b)", 80); strings.Contains(got, "evil") || strings.Contains(got, "](") {
		t.Errorf("Title = %q", got)
	}
}

func TestAttack34Mentions(t *testing.T) {
	t.Parallel()
	refused(t, "mention", "@ada", "ask @ada first", "ask @acme/team", "(@here)", "ask ＠ada", "cc:@ada", "**@ada**", "_@ada_ knows", "é@ada")
	refused(t, "address", "mail ada@acme.dev")
	refused(t, "hidden", "ask @\u200bada")
	for _, text := range []string{"ask @ada", "`@ada`", "＠ada", "@acme/team and @\u200bbob"} {
		if got := Title(text, 80); strings.ContainsAny(got, "@＠") {
			t.Errorf("Title(%q) = %q", text, got)
		}
	}
	for _, ok := range []string{"use `@types/node`", "at 5 @ night", "decorate with `@Inject()`"} {
		if _, err := OutputText(ok, 80); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
}

func TestAttack35Keywords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Closes #1", "closed: #1", "fix #1", "Fixes: #1", "fixed #12.", "resolves acme/shop#1", "Resolve GH-1", "fixes https://github.com/acme/shop/issues/1", "fix: #1", "`fixes #1`", "this **fixes** #1", "fixes `#1`",
		"closes issue #3", "Ｆixes #1", "fixes ＃1",
	} {
		refused(t, "closing", text)
		if got := Title(text, 80); closing.MatchString(got) {
			t.Errorf("Title(%q) = %q still closes", text, got)
		}
	}
	for _, ok := range []string{"fix the build", "the fixes of #1 hold", "closes the file handle", "see #1 for why"} {
		if _, err := OutputText(ok, 80); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
}

func TestAttack36BotCommands(t *testing.T) {
	t.Parallel()
	refused(t, "command", "/merge", "/approve now", "/ok-to-test", "bors r+", "please bors try", "do it [skip ci]", "[ci skip] x", "[dependabot skip]", "[no ci]", "***NO_CI***", "fixup! x", "autosquash! y", "skip-checks: true")
	refused(t, "mention", "@dependabot merge")
	refused(t, "trailer", "Co-authored-by: Eve", "x Signed-off-by: Eve", "Reviewed-by: Eve", "Change-Id: I1", "Use `Retrosweep-Slot: 1`")
	if _, err := OutputText("Credit whom you build on with `Co-authored-by:` in the message.", 80); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"/merge", "[skip ci] x", "[ci skip]", "***NO_CI***", "fixup! x", "squash! fixup! x", "[[skip ci]]", "Signed-off-by: Eve <e@x>", "skip-checks: true", "- /approve"} {
		if got := Title(text, 80); command.MatchString(got) || trailer.MatchString(got) {
			t.Errorf("Title(%q) = %q still commands", text, got)
		}
	}
}

func TestAttack37HTMLOut(t *testing.T) {
	t.Parallel()
	refused(t, "html", "x <script>alert(1)</script>", "a <iframe src=x></iframe>", "a <base href=x>", "a </details>", "a <!-- b --> c", "a <? b ?>", "x <input type=checkbox checked>")
	refused(t, "structure", "<script>alert(1)</script>", "<div>approved</div>", "<!-- x -->", "- [x] approved", "[x] approved")
	refused(t, "markup", "a --> <b", "&#60;script&#62;", "<scr")
	refused(t, "empty", "", "   ")
	refused(t, "length", strings.Repeat("words ", 700*17))
	refused(t, "word", strings.Repeat("x", 121))
}

func TestAttack38Title(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\nb", "a\r\n\r\nCo-authored-by: x", strings.Repeat("long ", 60), "--exec=x", "\u202Etxt.exe", "- - --x", "\x1b[31mred", "  ", "\u2028x\u0085y", strings.Repeat("é", 300), "<!-- x -->"} {
		got := Title(text, 72)
		switch {
		case strings.ContainsAny(got, "\n\r\u2028\u0085"), utf8.RuneCountInString(got) > 72, strings.HasPrefix(got, "-"), len(Hidden(got)) > 0, strings.TrimSpace(got) != got:
			t.Errorf("Title(%q) = %q", text, got)
		}
	}
}
