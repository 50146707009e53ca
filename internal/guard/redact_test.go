package guard

import (
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/guard/canary"
)

func TestRedactCanaries(t *testing.T) {
	t.Parallel()
	for _, c := range canary.All() {
		clean, kinds := Redact(c.Before + c.Secret + c.After)
		if canary.Leaks(clean, c.Secret) {
			t.Errorf("%s: the secret stays in %q", c.Kind, clean)
		}
		if !slices.Equal(kinds, []string{c.Kind}) {
			t.Errorf("%s: found %v", c.Kind, kinds)
		}
		if !strings.HasPrefix(clean, c.Before+"‹redacted:"+c.Kind+"›") || !strings.HasSuffix(clean, c.After) {
			t.Errorf("%s: more than the secret is gone: %q", c.Kind, clean)
		}
		if again, more := Redact(clean); again != clean || len(more) > 0 {
			t.Errorf("%s: not idempotent: %q, %v", c.Kind, again, more)
		}
	}
}

func TestRedactAllCanariesTogether(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, c := range canary.All() {
		b.WriteString(c.Before + c.Secret + c.After + "\n\n")
	}
	clean, kinds := Redact(b.String())
	for _, c := range canary.All() {
		if canary.Leaks(clean, c.Secret) {
			t.Errorf("%s stays among the others", c.Kind)
		}
	}
	if len(kinds) < len(canary.All()) {
		t.Errorf("%d secrets found of %d", len(kinds), len(canary.All()))
	}
	if got, want := strings.Count(clean, "\n"), strings.Count(b.String(), "\n"); got != want {
		t.Errorf("%d lines, were %d: line numbers moved", got, want)
	}
}

func TestRedactKeyBlocks(t *testing.T) {
	t.Parallel()
	key := canary.PEM()
	lines := strings.Split(key, "\n")
	diff := "+" + strings.Join(lines, "\n+")
	for name, text := range map[string]string{
		"in a diff":          "@@ -0,0 +1,5 @@\n" + diff + "\n context",
		"quoted":             "> " + strings.Join(lines, "\n> "),
		"in JSON":            `{"key": "` + strings.Join(lines, `\n`) + `"}`,
		"without its end":    "a\n" + strings.Join(lines[:3], "\n") + "\n\nnext paragraph",
		"without its begin":  "a\n" + strings.Join(lines[2:], "\n") + "\nb",
		"with headers":       lines[0] + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n" + strings.Join(lines[1:], "\n"),
		"with CRLF":          strings.Join(lines, "\r\n"),
		"string by string":   `"` + strings.Join(lines, "\\n\" +\n  \"") + `"`,
		"indented in a YAML": "key: |\n    " + strings.Join(lines, "\n    ") + "\nother: x\n",
	} {
		clean, kinds := Redact(text)
		if canary.Leaks(clean, strings.Join(lines[1:3], "")) || canary.Leaks(clean, lines[1]) || canary.Leaks(clean, lines[2]) || canary.Leaks(clean, lines[3]) || len(kinds) == 0 {
			t.Errorf("%s: %q, %v", name, clean, kinds)
		}
	}
	clean, _ := Redact("a\n" + strings.Join(lines[:3], "\n") + "\n\nnext paragraph")
	if !strings.HasSuffix(clean, "\n\nnext paragraph") {
		t.Errorf("an open key takes what follows along: %q", clean)
	}
}

func TestRedactSplitOverLines(t *testing.T) {
	t.Parallel()
	secret := "gh" + "p_" + canary.Fill(canary.Alnum, 36)
	head, tail := secret[:17], secret[17:]
	for _, text := range []string{
		"key = \"" + head + "\" +\n  \"" + tail + "\"\n",
		"+" + head + "\\\n+" + tail + "\n",
		"'" + head + "'\n  . '" + tail + "';",
		head + "\n" + tail + "\n",
	} {
		clean, kinds := Redact(text)
		if canary.Leaks(clean, head) || canary.Leaks(clean, tail) || !slices.Equal(kinds, []string{"github-token"}) {
			t.Errorf("Redact(%q) = %q, %v", text, clean, kinds)
		}
		if strings.Count(clean, "\n") != strings.Count(text, "\n") {
			t.Errorf("Redact(%q) = %q: lines moved", text, clean)
		}
	}
}

func TestRedactLeavesOrdinaryText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"commit " + canary.Fill(canary.LowerHex, 40), "short " + canary.Fill(canary.LowerHex, 7), "id 123e4567-e89b-12d3-a456-426614174000",
		"sha256:" + canary.Fill(canary.LowerHex, 64), canary.Fill(canary.LowerHex, 64) + "\n" + canary.Fill(canary.LowerHex, 64) + "\n" + canary.Fill(canary.LowerHex, 64) + "\n",
		"integrity sha512-" + canary.Fill(canary.Alnum+"+/", 86) + "==", "h1:" + canary.Fill(canary.Alnum+"+/", 43) + "=",
		"![dot](data:image/png;base64," + canary.Fill(canary.Alnum+"+/", 120) + "=)",
		"The password is never logged. Ask for a token, keep the secret.",
		"password: ${DB_PASSWORD}", "password = os.Getenv(\"DB_PASSWORD\")", `password: "<your password>"`, "api_key_env: LLM_KEY",
		"token := generateTokenForUser123(ctx)", "accessToken = response.data.accessTokenV2", "const authTokenProvider2 = newAuthTokenProvider2()",
		"max_tokens: 400000", "tokens = tokenizer.encode(text)", `token = "xxxxxxxxxxxxxxxxxxxx"`, "API_KEY=your-api-key-here",
		"https://user@example.com/x", "https://example.com:8080/a@b", "git@github.com:acme/shop.git", "http://localhost:3000/?page=2&sort=created_at",
		"postgres://user:password@localhost/db", "postgres://$USER:$PASSWORD@db/x", "ssh://git@github.com/acme/shop",
		"task-" + canary.Fill(canary.LowerHex, 32), "risk-assessment-of-the-new-payment-provider-integration", "sk-learn", "npm_config_registry", "hf_hub_download",
		"Use Authorization: Bearer tokens for the API.", "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
		"secretKeyRef: {name: shop-secrets, key: database-password-v2}", "auth: packages/auth/src/session/v2/handler-factory-01.ts",
		"passwordResetTokenExpiryInMinutes = 30", "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----",
		"'password' => 'hashed'", `password: "webhook_secret"`, "auth: ecdsa-sha2-nistp521", "tokenType: urn-ietf-oauth2-grant-type", "host=db, password=falkor_password, port=1",
		"key: sk-" + "ant-" + "your-actual-key\nOPENAI_API_KEY=", "AI" + "zaSyXXXXXXXXXXXXXXXX\n  VERTEX_PROJECT_NUMBER_ONE", "ghp_" + canary.Fill(canary.Alnum, 20) + "\n" + canary.Fill(canary.Alnum, 20) + " and more words",
		"GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}", "SECRET_KEY_PATH=/etc/keys/2026/signing.pem",
	} {
		if clean, kinds := Redact(text); clean != text || len(kinds) > 0 {
			t.Errorf("Redact(%q) = %q, %v; want it unchanged", text, clean, kinds)
		}
	}
}
