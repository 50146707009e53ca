package guard

import (
	"slices"
	"strings"
	"testing"
)

// fill returns n characters that look drawn at random, from an alphabet.
func fill(alphabet string, n int) string {
	var b strings.Builder
	state := uint32(2463534242)
	for range n {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		b.WriteByte(alphabet[int(state)%len(alphabet)])
	}
	return b.String()
}

const (
	lowerHex = "0123456789abcdef"
	upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	alnum    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// canary is a secret in a text. The secrets are put together at run time, so
// that this file holds none.
type canary struct{ kind, before, secret, after string }

func canaries() []canary {
	a := func(n int) string { return fill(alnum, n) }
	h := func(n int) string { return fill(lowerHex, n) }
	u := func(n int) string { return fill(upper, n) }
	return []canary{
		{"aws-key-id", "id ", "AK" + "IA" + u(16), "."},
		{"aws-secret-key", "aws_secret_access_key = ", fill(alnum+"/+", 40), "\n"},
		{"github-token", "", "gh" + "p_" + a(36), ""},
		{"github-token", "token ", "github" + "_pat_" + a(22) + "_" + a(59), " "},
		{"gitlab-token", "", "glp" + "at-" + a(20), ""},
		{"slack-token", "", "xo" + "xb-" + fill("0123456789", 12) + "-" + a(24), ""},
		{"slack-webhook", "https://hooks." + "slack.com/services/", "T" + u(8) + "/B" + u(8) + "/" + a(24), ""},
		{"discord-webhook", "https://discord.com/" + "api/webhooks/", fill("0123456789", 18) + "/" + a(68), ""},
		{"stripe-key", "", "sk" + "_live_" + a(24), ""},
		{"google-api-key", "", "AI" + "za" + a(35), ""},
		{"google-oauth", "", "GOC" + "SPX-" + a(28), ""},
		{"anthropic-key", "", "sk" + "-ant-api03-" + a(90), ""},
		{"openai-key", "", "sk" + "-proj-" + a(48), ""},
		{"openai-key", "", "sk" + "-" + a(48), ""},
		{"huggingface-token", "", "h" + "f_" + a(34), ""},
		{"npm-token", "//registry.example.com/:_authToken=", "np" + "m_" + a(36), ""},
		{"pypi-token", "", "py" + "pi-" + a(80), ""},
		{"rubygems-key", "", "ruby" + "gems_" + h(48), ""},
		{"docker-token", "", "dckr" + "_pat_" + a(27), ""},
		{"digitalocean-token", "", "do" + "p_v1_" + h(64), ""},
		{"sendgrid-key", "", "S" + "G." + a(22) + "." + a(43), ""},
		{"mailgun-key", "", "ke" + "y-" + h(32), ""},
		{"twilio-key", "", "S" + "K" + h(32), ""},
		{"telegram-token", "", fill("123456789", 9) + ":A" + "A" + a(33), ""},
		{"discord-token", "", "M" + a(23) + "." + a(6) + "." + a(30), ""},
		{"shopify-token", "", "shp" + "at_" + h(32), ""},
		{"square-token", "", "sq0" + "atp-" + a(22), ""},
		{"atlassian-token", "", "ATA" + "TT3" + a(120), ""},
		{"linear-key", "", "lin" + "_api_" + a(40), ""},
		{"databricks-token", "", "da" + "pi" + h(32), ""},
		{"vault-token", "", "hv" + "s." + a(90), ""},
		{"terraform-token", "", a(14) + ".atlas" + "v1." + a(64), ""},
		{"age-key", "", "AGE-SECRET" + "-KEY-1" + u(58), ""},
		{"grafana-token", "", "gl" + "sa_" + a(32) + "_" + h(8), ""},
		{"newrelic-key", "", "NR" + "AK-" + fill(upper, 27), ""},
		{"doppler-token", "", "dp" + ".pt." + a(43), ""},
		{"sentry-token", "", "sntr" + "ys_" + a(80), ""},
		{"pulumi-token", "", "pu" + "l-" + h(40), ""},
		{"supabase-key", "", "sb" + "p_" + h(40), ""},
		{"planetscale-token", "", "pscale" + "_tkn_" + a(43), ""},
		{"azure-client-secret", "", "abc8" + "Q~" + a(33), ""},
		{"azure-storage-key", "DefaultEndpointsProtocol=https;Account" + "Key=", a(86) + "==", ";"},
		{"jwt", "", "ey" + "J" + a(20) + ".ey" + "J" + a(60) + "." + a(43), ""},
		{"private-key", "", pem(), ""},
		{"url-password", "postgres://shop:", "s3" + "cr3t!x", "@db.internal/shop"},
		{"url-password", "redis://:", a(12), "@cache:6379/0"},
		{"url-token", "https://", a(40), "@github.com/acme/shop.git"},
		{"url-parameter", "GET /v1/x?a=b&access" + "_token=", a(32), "&c=d"},
		{"dsn-password", "shop:", "pw" + a(8), "@tcp(db:3306)/shop"},
		{"dsn-password", "Server=db;Database=shop;User Id=sa;Pass" + "word=", "Xy" + a(10), ";Encrypt=true"},
		{"authorization", "Authorization: Basic ", a(24) + "==", "\n"},
		{"bearer-token", "curl -H 'X-Auth: Bearer ", a(40), "'"},
		{"password", "pass" + "word: \"", "correct-horse-9", "\""},
		{"password", "DB_PASS" + "WORD=", "hunter" + "2hunter", "\n"},
		{"high-entropy", "client_secret: ", a(32), "\n"},
		{"high-entropy", `"signingKey": "`, a(44), `"`},
		{"encoded-block", "middle of a hunk\n", a(64) + "\n+" + a(64) + "\n+" + a(64) + "\n", "end"},
	}
}

// pem returns a private key as it stands in a file.
func pem() string {
	armour := " RSA PRIV" + "ATE KEY-----"
	return "-----BEGIN" + armour + "\n" + fill(alnum+"+/", 64) + "\n" + fill(alnum+"+/", 64) + "\n" + fill(alnum, 20) + "==\n-----END" + armour
}

func TestRedactCanaries(t *testing.T) {
	t.Parallel()
	for _, c := range canaries() {
		clean, kinds := Redact(c.before + c.secret + c.after)
		if leaks(clean, c.secret) {
			t.Errorf("%s: the secret stays in %q", c.kind, clean)
		}
		if !slices.Equal(kinds, []string{c.kind}) {
			t.Errorf("%s: found %v", c.kind, kinds)
		}
		if !strings.HasPrefix(clean, c.before+"‹redacted:"+c.kind+"›") || !strings.HasSuffix(clean, c.after) {
			t.Errorf("%s: more than the secret is gone: %q", c.kind, clean)
		}
		if again, more := Redact(clean); again != clean || len(more) > 0 {
			t.Errorf("%s: not idempotent: %q, %v", c.kind, again, more)
		}
	}
}

// leaks reports that a run of 12 characters of the secret is still there.
func leaks(text, secret string) bool {
	const run = 12
	for i := 0; i+run <= len(secret); i++ {
		part := secret[i : i+run]
		if !strings.Contains(part, "KEY-----") && !strings.Contains(part, "PRIV") && strings.Contains(text, part) {
			return true
		}
	}
	return len(secret) < run && strings.Contains(text, secret)
}

func TestRedactAllCanariesTogether(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, c := range canaries() {
		b.WriteString(c.before + c.secret + c.after + "\n\n")
	}
	clean, kinds := Redact(b.String())
	for _, c := range canaries() {
		if leaks(clean, c.secret) {
			t.Errorf("%s stays among the others", c.kind)
		}
	}
	if len(kinds) < len(canaries()) {
		t.Errorf("%d secrets found of %d", len(kinds), len(canaries()))
	}
	if got, want := strings.Count(clean, "\n"), strings.Count(b.String(), "\n"); got != want {
		t.Errorf("%d lines, were %d: line numbers moved", got, want)
	}
}

func TestRedactKeyBlocks(t *testing.T) {
	t.Parallel()
	key := pem()
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
		if leaks(clean, strings.Join(lines[1:3], "")) || leaks(clean, lines[1]) || leaks(clean, lines[2]) || leaks(clean, lines[3]) || len(kinds) == 0 {
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
	secret := "gh" + "p_" + fill(alnum, 36)
	head, tail := secret[:17], secret[17:]
	for _, text := range []string{
		"key = \"" + head + "\" +\n  \"" + tail + "\"\n",
		"+" + head + "\\\n+" + tail + "\n",
		"'" + head + "'\n  . '" + tail + "';",
		head + "\n" + tail + "\n",
	} {
		clean, kinds := Redact(text)
		if leaks(clean, head) || leaks(clean, tail) || !slices.Equal(kinds, []string{"github-token"}) {
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
		"commit " + fill(lowerHex, 40), "short " + fill(lowerHex, 7), "id 123e4567-e89b-12d3-a456-426614174000",
		"sha256:" + fill(lowerHex, 64), fill(lowerHex, 64) + "\n" + fill(lowerHex, 64) + "\n" + fill(lowerHex, 64) + "\n",
		"integrity sha512-" + fill(alnum+"+/", 86) + "==", "h1:" + fill(alnum+"+/", 43) + "=",
		"![dot](data:image/png;base64," + fill(alnum+"+/", 120) + "=)",
		"The password is never logged. Ask for a token, keep the secret.",
		"password: ${DB_PASSWORD}", "password = os.Getenv(\"DB_PASSWORD\")", `password: "<your password>"`, "api_key_env: LLM_KEY",
		"token := generateTokenForUser123(ctx)", "accessToken = response.data.accessTokenV2", "const authTokenProvider2 = newAuthTokenProvider2()",
		"max_tokens: 400000", "tokens = tokenizer.encode(text)", `token = "xxxxxxxxxxxxxxxxxxxx"`, "API_KEY=your-api-key-here",
		"https://user@example.com/x", "https://example.com:8080/a@b", "git@github.com:acme/shop.git", "http://localhost:3000/?page=2&sort=created_at",
		"postgres://user:password@localhost/db", "postgres://$USER:$PASSWORD@db/x", "ssh://git@github.com/acme/shop",
		"task-" + fill(lowerHex, 32), "risk-assessment-of-the-new-payment-provider-integration", "sk-learn", "npm_config_registry", "hf_hub_download",
		"Use Authorization: Bearer tokens for the API.", "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>",
		"secretKeyRef: {name: shop-secrets, key: database-password-v2}", "auth: packages/auth/src/session/v2/handler-factory-01.ts",
		"passwordResetTokenExpiryInMinutes = 30", "-----BEGIN CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----",
		"'password' => 'hashed'", `password: "webhook_secret"`, "auth: ecdsa-sha2-nistp521", "tokenType: urn-ietf-oauth2-grant-type", "host=db, password=falkor_password, port=1",
		"key: sk-" + "ant-" + "your-actual-key\nOPENAI_API_KEY=", "AI" + "zaSyXXXXXXXXXXXXXXXX\n  VERTEX_PROJECT_NUMBER_ONE", "ghp_" + fill(alnum, 20) + "\n" + fill(alnum, 20) + " and more words",
		"GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}", "SECRET_KEY_PATH=/etc/keys/2026/signing.pem",
	} {
		if clean, kinds := Redact(text); clean != text || len(kinds) > 0 {
			t.Errorf("Redact(%q) = %q, %v; want it unchanged", text, clean, kinds)
		}
	}
}
