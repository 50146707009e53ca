package guard

import "regexp"

// rule is one shape of a secret. The first group that takes part is the
// value; without groups the whole match is.
type rule struct {
	kind   string
	re     *regexp.Regexp
	hints  []string // lower case; one must occur in the lower-cased text
	accept func(value, rest string) bool
	token  bool // its prefix alone tells it: also looked for across broken lines
}

func token(kind, expr string, hints ...string) rule {
	return rule{kind: kind, re: regexp.MustCompile(expr), hints: hints, token: true}
}

func field(kind, expr string, accept func(value, rest string) bool, hints ...string) rule {
	return rule{kind: kind, re: regexp.MustCompile(expr), hints: hints, accept: accept}
}

// rules are the shapes of the providers' tokens, then of values that only
// their surroundings make secret. Characters of ‹redacted:kind› are in no
// class, so that what is covered is not found again.
var rules = []rule{
	token("aws-key-id", `\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`, "akia", "asia", "abia", "acca"),
	token("github-token", `\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_[A-Za-z0-9_]{50,}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
	token("gitlab-token", `\bgl(?:pat|dt|rt|rtr|ptt|cbt|oas|ft|agent|imt|soat|ffct)-[A-Za-z0-9_.\-]{20,}`, "gl"),
	token("slack-token", `\bx(?:ox[abceoprs]|app)-[A-Za-z0-9\-]{10,}`, "xox", "xapp-"),
	token("slack-webhook", `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})`, "hooks.slack.com"),
	token("discord-webhook", `discord(?:app)?\.com/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_\-]{60,80})`, "api/webhooks"),
	token("stripe-key", `\b(?:[sr]k_(?:live|test|prod)|whsec)_[A-Za-z0-9]{16,}`, "k_live_", "k_test_", "k_prod_", "whsec_"),
	token("google-api-key", `\bAIza[A-Za-z0-9_\-]{35}`, "aiza"),
	token("google-oauth", `\bGOCSPX-[A-Za-z0-9_\-]{20,40}|\bya29\.[A-Za-z0-9_\-]{20,}|\b1//0[A-Za-z0-9_\-]{40,}`, "gocspx-", "ya29.", "1//0"),
	token("anthropic-key", `\bsk-ant-[A-Za-z0-9_\-]{20,}`, "sk-ant-"),
	token("openai-key", `\bsk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_\-]{20,}|\bsk-[A-Za-z0-9]{32,}\b`, "sk-"),
	token("huggingface-token", `\bhf_[A-Za-z0-9]{30,60}\b`, "hf_"),
	token("npm-token", `\bnpm_[A-Za-z0-9]{36}\b`, "npm_"),
	token("pypi-token", `\bpypi-[A-Za-z0-9_\-]{40,}`, "pypi-"),
	token("rubygems-key", `\brubygems_[a-f0-9]{48}\b`, "rubygems_"),
	token("docker-token", `\bdckr_(?:pat|oat)_[A-Za-z0-9_\-]{20,80}`, "dckr_"),
	token("digitalocean-token", `\bdo[opr]_v1_[a-f0-9]{64}\b`, "_v1_"),
	token("sendgrid-key", `\bSG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{30,64}`, "sg."),
	token("mailgun-key", `\bkey-[a-f0-9]{32}\b`, "key-"),
	token("twilio-key", `\bSK[a-f0-9]{32}\b`, "sk"),
	token("telegram-token", `\b[0-9]{8,10}:AA[A-Za-z0-9_\-]{33}\b`, ":aa"),
	{kind: "discord-token", re: regexp.MustCompile(`\b[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,40}`), hints: []string{"."}, accept: twoDigits, token: true},
	token("shopify-token", `\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b`, "shp"),
	token("square-token", `\bsq0(?:atp|csp|idp)-[A-Za-z0-9_\-]{22,50}`, "sq0"),
	token("atlassian-token", `\bAT(?:ATT3|CTT3|BB)[A-Za-z0-9_\-=]{24,}`, "atatt3", "atctt3", "atbb"),
	token("linear-key", `\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}\b`, "lin_"),
	token("databricks-token", `\bdapi[a-f0-9]{32}\b`, "dapi"),
	token("vault-token", `\bhv[sbr]\.[A-Za-z0-9_\-]{24,}`, "hvs.", "hvb.", "hvr."),
	token("terraform-token", `\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{60,70}`, ".atlasv1."),
	token("age-key", `\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b`, "age-secret-key-1"),
	token("grafana-token", `\bgl(?:sa|c)_[A-Za-z0-9+/=_]{32,}`, "glsa_", "glc_"),
	token("newrelic-key", `\bNRAK-[A-Z0-9]{27}\b`, "nrak-"),
	token("doppler-token", `\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._\-]{40,80}`, "dp."),
	token("sentry-token", `\bsntry[su]_[A-Za-z0-9+/=_\-]{40,}`, "sntry"),
	token("pulumi-token", `\bpul-[a-f0-9]{40}\b`, "pul-"),
	token("supabase-key", `\bsb(?:p|_secret)_[A-Za-z0-9_\-]{30,80}\b`, "sbp_", "sb_secret_"),
	token("planetscale-token", `\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9._\-]{32,64}`, "pscale_"),
	token("azure-client-secret", `\b[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.\-]{31,34}`, "q~"),
	token("jwt", `\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`, "eyj"),

	field("aws-secret-key", `(?i)(?:aws|amazon).{0,30}(?:secret|sk).{0,30}?[=:"'\s]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`, randomValue, "aws", "amazon"),
	field("azure-storage-key", `(?i)(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})`, nil, "accountkey=", "sharedaccesskey="),
	field("url-password", `[A-Za-z][A-Za-z0-9+.\-]{1,20}://[^\s:@/?#"'<>‹›]{0,80}:([^\s@/"'<>‹›]{2,})@[A-Za-z0-9\[]`, literal, "://"),
	field("url-token", `://([A-Za-z0-9_\-]{16,})@[A-Za-z0-9\[]`, lettersAndDigits, "://"),
	field("url-parameter", `(?i)[?&](?:access_?token|auth_?token|token|api_?key|key|password|passwd|secret|client_secret|sig|signature|x-amz-signature|x-amz-security-token|code)=([^&\s"'<>()‹›#]{12,})`, lettersAndDigits, "="),
	field("dsn-password", `\b[A-Za-z0-9_.\-]{1,60}:([^\s:@/"'‹›]{3,})@(?:tcp|unix|udp)\(`, literal, "@tcp(", "@unix(", "@udp("),
	field("dsn-password", `(?i)(?:server|data source|host|user id|uid|user|dbname|database)\s*=[^;\n]{1,}[;\s](?:[^\n]{0,}[;\s])?(?:password|pwd)\s*=\s*([^;,\s"'‹›]{3,})`, passphrase, "password", "pwd"),
	field("authorization", `(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|apikey)\s+([A-Za-z0-9+/=._~\-]{8,})`, literal, "authorization"),
	field("bearer-token", `(?i)\bbearer\s+([A-Za-z0-9+/=._~\-]{20,})`, lettersAndDigits, "bearer"),
	field("password", `(?i)(?:passw(?:or)?d|passphrase|pwd|secret)["']?\s*(?::=|=>|==|=|:)\s*(?:"([^"\s‹›]{6,})"|'([^'\s‹›]{6,})')`, passphrase, "pass", "pwd", "secret"),
	field("password", `(?m)(?:^[+\->]*|[\s"'])(?:export\s+|set\s+|ENV\s+)?[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|PRIVATE_KEY|CREDENTIALS?)[A-Z0-9_]*=([^\s"'‹›]{6,})`, envValue, "="),
	field("high-entropy", `(?i)(?:secret|passw(?:or)?d|passphrase|token|api[_\-]?key|apikey|access[_\-]?key|private[_\-]?key|client[_\-]?key|signing[_\-]?key|encryption[_\-]?key|credential|_auth)[A-Za-z0-9_.\-]{0,30}["'\]]?\s*(?::=|=>|=|:)\s*["'\x60]?([A-Za-z0-9+/=_.~!$%^*\-]{16,})`, randomValue, "secret", "pass", "token", "key", "credential", "_auth"),
}
