// Package canary owns secrets that are none: texts of the shape that keys,
// tokens and passwords have, for tests that look whether one gets anywhere. They
// are put together at run time, so that no file holds one.
package canary

import "strings"

// Fill returns n characters that look drawn at random, from an alphabet.
func Fill(alphabet string, n int) string {
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

// Alphabets for [Fill].
const (
	LowerHex = "0123456789abcdef"
	Upper    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	Alnum    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// Canary is a secret in a text.
type Canary struct{ Kind, Before, Secret, After string }

// Text is the secret where it stands.
func (c Canary) Text() string { return c.Before + c.Secret + c.After }

// All returns at least one canary of each kind that the guard redacts.
func All() []Canary {
	a := func(n int) string { return Fill(Alnum, n) }
	h := func(n int) string { return Fill(LowerHex, n) }
	u := func(n int) string { return Fill(Upper, n) }
	return []Canary{
		{"aws-key-id", "id ", "AK" + "IA" + u(16), "."},
		{"aws-secret-key", "aws_secret_access_key = ", Fill(Alnum+"/+", 40), "\n"},
		{"github-token", "", "gh" + "p_" + a(36), ""},
		{"github-token", "token ", "github" + "_pat_" + a(22) + "_" + a(59), " "},
		{"gitlab-token", "", "glp" + "at-" + a(20), ""},
		{"slack-token", "", "xo" + "xb-" + Fill("0123456789", 12) + "-" + a(24), ""},
		{"slack-webhook", "https://hooks." + "slack.com/services/", "T" + u(8) + "/B" + u(8) + "/" + a(24), ""},
		{"discord-webhook", "https://discord.com/" + "api/webhooks/", Fill("0123456789", 18) + "/" + a(68), ""},
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
		{"telegram-token", "", Fill("123456789", 9) + ":A" + "A" + a(33), ""},
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
		{"newrelic-key", "", "NR" + "AK-" + Fill(Upper, 27), ""},
		{"doppler-token", "", "dp" + ".pt." + a(43), ""},
		{"sentry-token", "", "sntr" + "ys_" + a(80), ""},
		{"pulumi-token", "", "pu" + "l-" + h(40), ""},
		{"supabase-key", "", "sb" + "p_" + h(40), ""},
		{"planetscale-token", "", "pscale" + "_tkn_" + a(43), ""},
		{"azure-client-secret", "", "abc8" + "Q~" + a(33), ""},
		{"azure-storage-key", "DefaultEndpointsProtocol=https;Account" + "Key=", a(86) + "==", ";"},
		{"jwt", "", "ey" + "J" + a(20) + ".ey" + "J" + a(60) + "." + a(43), ""},
		{"private-key", "", PEM(), ""},
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

// PEM returns a private key as it stands in a file.
func PEM() string {
	armour := " RSA PRIV" + "ATE KEY-----"
	return "-----BEGIN" + armour + "\n" + Fill(Alnum+"+/", 64) + "\n" + Fill(Alnum+"+/", 64) + "\n" + Fill(Alnum, 20) + "==\n-----END" + armour
}

// Leaks reports that a run of 12 characters of the secret is still there.
func Leaks(text, secret string) bool {
	const run = 12
	for i := 0; i+run <= len(secret); i++ {
		part := secret[i : i+run]
		if !strings.Contains(part, "KEY-----") && !strings.Contains(part, "PRIV") && strings.Contains(text, part) {
			return true
		}
	}
	return len(secret) < run && strings.Contains(text, secret)
}
