package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/guard"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNoSecretStandsInAFile(t *testing.T) {
	t.Parallel()
	for _, name := range files(t) {
		if _, found := guard.Redact(read(t, name)); len(found) > 0 {
			t.Errorf("%s holds what looks like %q", name, found)
		}
	}
	if got := first(t, `(?m)^RETROSWEEP_TOKEN=(.*)$`, read(t, "shop.env.example")); got != "" {
		t.Errorf("the example's token is %q", got)
	}
}

// Variables whose names say secret come by reference, in every file.
func TestSecretsComeByReference(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`TOKEN|KEY$|_ID$`)
	for _, name := range []string{"kubernetes/base/cronjob.yaml", "kubernetes/components/github-app/cronjob.yaml"} {
		c := tree(t, name).at("spec", "jobTemplate", "spec", "template", "spec", "containers").list()[0]
		for _, e := range c.at("env").list() {
			if n := e.at("name").text(); secret.MatchString(n) && !e.has("$patch") {
				e.at("valueFrom", "secretKeyRef", "name").is("retrosweep")
			}
		}
	}
	for _, step := range tree(t, "github-actions/retrosweep.yml").at("jobs", "night", "steps").list() {
		if !step.has("env") {
			continue
		}
		for name, value := range step.at("env").v.(map[string]any) {
			if s, _ := value.(string); secret.MatchString(name) && !regexp.MustCompile(`^\$\{\{ (secrets|github)\.\w+ \}\}$`).MatchString(s) {
				t.Errorf("%s=%v is no reference", name, value)
			}
		}
	}
	if strings.Contains(read(t, "gitlab-ci/retrosweep.gitlab-ci.yml"), "RETROSWEEP_TOKEN:") {
		t.Error("the GitLab job sets the token, which the project's variables hold")
	}
}

func TestWorkflowAsksForLittle(t *testing.T) {
	t.Parallel()
	flow := tree(t, "github-actions/retrosweep.yml")
	if top, ok := flow.at("permissions").v.(map[string]any); !ok || len(top) != 0 {
		t.Errorf("the workflow asks for %v for every job", flow.at("permissions").v)
	}
	night := flow.at("jobs", "night")
	if got := night.at("permissions").v.(map[string]any); len(got) != 2 || got["contents"] != "write" || got["pull-requests"] != "write" {
		t.Errorf("the job asks for %v", got)
	}
	flow.at("concurrency", "cancel-in-progress").is(false)
	pinned := regexp.MustCompile(`(?m)uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	if text := read(t, "github-actions/retrosweep.yml"); strings.Count(text, "uses: ") != len(pinned.FindAllString(text, -1)) {
		t.Error("an action is not pinned by commit with its version beside it")
	}
	for _, step := range night.at("steps").list() {
		if step.has("uses") && strings.HasPrefix(step.at("uses").text(), "actions/checkout@") {
			step.at("with", "persist-credentials").is(false)
		}
		// ${{ }} in a script is text that the shell runs.
		if step.has("run") && strings.Contains(step.at("run").text(), "${{") {
			t.Errorf("an expression stands in a script: %s", step.at("run").text())
		}
	}
}

func TestUnitIsClosed(t *testing.T) {
	t.Parallel()
	service, timer := unit(t, "systemd/retrosweep@.service"), unit(t, "systemd/retrosweep@.timer")
	for key, want := range map[string]string{
		"DynamicUser": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "NoNewPrivileges": "yes",
		"PrivateTmp": "yes", "CapabilityBoundingSet": "", "UMask": "0077", "Type": "oneshot",
	} {
		if got := service[key]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s=%q, not %q", key, got, want)
		}
	}
	if !slices.Equal(timer["Persistent"], []string{"true"}) || len(timer["RandomizedDelaySec"]) != 1 {
		t.Errorf("the timer has Persistent=%q RandomizedDelaySec=%q", timer["Persistent"], timer["RandomizedDelaySec"])
	}
	local := unit(t, "systemd/local-repository.conf")
	if len(local["ReadWritePaths"]) != 1 || !slices.Equal(local["DynamicUser"], []string{"no"}) || len(local["User"]) != 1 {
		t.Errorf("the drop-in for a local repository says %v", local)
	}
}

func TestJobIsBoundedAndAlone(t *testing.T) {
	t.Parallel()
	job := cronJob(t)
	job.at("concurrencyPolicy").is("Forbid")
	deadline, start := job.at("jobTemplate", "spec", "activeDeadlineSeconds").v, job.at("startingDeadlineSeconds").v
	if deadline != 3600 || start != 21600 {
		t.Errorf("deadlines of %v and %v seconds; the page says an hour and six", deadline, start)
	}
	pod := job.at("jobTemplate", "spec", "template", "spec")
	pod.at("restartPolicy").is("Never")
	pod.at("automountServiceAccountToken").is(false)
	pod.at("securityContext", "runAsNonRoot").is(true)
	container(t).at("securityContext", "readOnlyRootFilesystem").is(true)
	for _, kind := range []string{"requests", "limits"} {
		container(t).at("resources", kind, "memory")
	}
	var ports []int
	for _, rule := range tree(t, "kubernetes/base/networkpolicy.yaml").at("spec", "egress").list() {
		for _, p := range rule.at("ports").list() {
			ports = append(ports, p.at("port").v.(int))
		}
	}
	slices.Sort(ports)
	if !slices.Equal(slices.Compact(ports), []int{22, 53, 443}) {
		t.Errorf("the pod may reach the ports %v", ports)
	}
}

func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	text := read(t, "container/Containerfile")
	from := regexp.MustCompile(`(?m)^FROM .*$`).FindAllString(text, -1)
	digest := regexp.MustCompile(`^FROM (?:--platform=\$BUILDPLATFORM )?[a-z]+:[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}(?: AS build)?$`)
	for _, f := range from {
		if !digest.MatchString(f) {
			t.Errorf("%s is not pinned by tag and digest", f)
		}
	}
	if len(from) != 2 {
		t.Errorf("%d stages", len(from))
	}
	built := first(t, `golang:(\d+\.\d+)\.`, text)
	if want := first(t, `(?m)^go (\d+\.\d+)`, read(t, "../go.mod")); built != want {
		t.Errorf("the image is built by Go %s, go.mod says %s", built, want)
	}
	if got := tree(t, "github-actions/retrosweep.yml").at("jobs", "night", "steps").list()[1].at("with", "go-version").text(); !strings.Contains(text, "golang:"+got+"-") {
		t.Errorf("the workflow has Go %s, the image another", got)
	}
	// What users must put in themselves is one word everywhere.
	for _, name := range files(t) {
		for _, image := range regexp.MustCompile(`\S+/retrosweep:(\S+)`).FindAllString(read(t, name), -1) {
			if !strings.Contains(image, "REGISTRY/retrosweep:") {
				t.Errorf("%s names the image %s", name, image)
			}
		}
	}
}

func TestContainerfileKeepsItsRules(t *testing.T) {
	t.Parallel()
	text := read(t, "container/Containerfile")
	stage := text[strings.LastIndex(text, "\nFROM "):]
	for rule, pattern := range map[string]string{
		"a numeric user that is not root":     `(?m)^USER [1-9]\d+:[1-9]\d+$`,
		"an entrypoint without a shell":       `(?m)^ENTRYPOINT \["/usr/local/bin/retrosweep"\]$`,
		"packages without recommended ones":   `apt-get install -y --no-install-recommends `,
		"no lists of packages in the layer":   `rm -rf /var/lib/apt/lists/\*`,
		"the certificates that HTTPS needs":   `install .*\bca-certificates\b`,
		"git, which deepens shallow clones":   `install .*\bgit\b`,
		"a cache folder that its user owns":   `-o 65532 -g 65532 /var/cache/retrosweep`,
		"the cache where the CronJob has it":  `RETROSWEEP_CACHE=/var/cache/retrosweep`,
		"the binary from the build, no other": `(?m)^COPY --from=build /out/retrosweep /usr/local/bin/retrosweep$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(stage) {
			t.Errorf("the last stage breaks: %s", rule)
		}
	}
	if m := regexp.MustCompile(`(?im)^(ARG|ENV) .*(token|secret|password|key).*$`).FindString(text); m != "" {
		t.Errorf("%q: what is built in stays in", m)
	}
	uid := first(t, `(?m)^USER (\d+):`, text)
	if got := cronJob(t).at("jobTemplate", "spec", "template", "spec", "securityContext", "runAsUser").v; uid != "65532" || got != 65532 {
		t.Errorf("the image's user is %s, the pod's %v", uid, got)
	}
}

// Each folder of the program that the build needs is let through.
func TestIgnoreFileLetsTheBuildThrough(t *testing.T) {
	t.Parallel()
	ignore := read(t, "container/Containerfile.dockerignore")
	code, err := filepath.Glob("../*/*.go")
	deeper, deeperErr := filepath.Glob("../*/*/*.go")
	code = append(code, deeper...)
	if err != nil || deeperErr != nil || len(code) < 50 {
		t.Fatalf("%d files of code, %v, %v", len(code), err, deeperErr)
	}
	for _, file := range code {
		top := strings.Split(filepath.ToSlash(file), "/")[1]
		if top != "deploy" && top != ".ci" && !strings.HasSuffix(file, "_test.go") &&
			!strings.Contains(ignore, "\n!"+top+"\n") {
			t.Errorf("%s is code, and Containerfile.dockerignore keeps %s out", file, top)
		}
	}
	if !strings.Contains(ignore, "\n*\n") {
		t.Error("the ignore file lets everything through")
	}
}
