package checks

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const kubernetes = "../kubernetes"

// render is "kubectl kustomize": one YAML document an object.
func render(t *testing.T, fs filesys.FileSystem, dir string) [][]byte {
	t.Helper()
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fs, dir)
	if err != nil {
		t.Fatalf("kustomize build %s: %v", dir, err)
	}
	all, err := objects.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(all, []byte("\n---\n"))
}

// decode reads a document as an API server does with strict field validation:
// unknown and doubled fields are errors.
func decode(document []byte) (runtime.Object, error) {
	codecs := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict)
	object, _, err := codecs.UniversalDeserializer().Decode(document, nil, nil)
	return object, err
}

// objects renders a folder and decodes what comes out.
func objects(t *testing.T, fs filesys.FileSystem, dir string) []runtime.Object {
	t.Helper()
	var all []runtime.Object
	for _, document := range render(t, fs, dir) {
		object, err := decode(document)
		if err != nil {
			t.Fatalf("%s: %v\n%s", dir, err, document)
		}
		all = append(all, object)
	}
	return all
}

// of picks the objects of one type.
func of[T runtime.Object](all []runtime.Object) []T {
	var out []T
	for _, o := range all {
		if x, ok := o.(T); ok {
			out = append(out, x)
		}
	}
	return out
}

// with is the example overlay with other components, in memory.
func with(t *testing.T, components ...string) filesys.FileSystem {
	t.Helper()
	disk, memory := filesys.MakeFsOnDisk(), filesys.MakeFsInMemory()
	err := disk.Walk(kubernetes, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || strings.HasSuffix(path, ".md") {
			return err
		}
		content, err := disk.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(kubernetes, path)
		if err != nil {
			return err
		}
		return memory.WriteFile(filepath.Join("/k", rel), content)
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay := `
namespace: test
resources: [../../base]
images: [{name: retrosweep, newName: example.invalid/retrosweep, newTag: v1}]
components: [` + strings.Join(components, ", ") + `]
`
	if err := memory.WriteFile("/k/overlays/test/kustomization.yaml", []byte(overlay)); err != nil {
		t.Fatal(err)
	}
	return memory
}

// variants are the ways in which the manifests are put together.
func variants(t *testing.T) map[string][]runtime.Object {
	t.Helper()
	disk := filesys.MakeFsOnDisk()
	cache, app := "../../components/cache", "../../components/github-app"
	return map[string][]runtime.Object{
		"base":       objects(t, disk, kubernetes+"/base"),
		"example":    objects(t, disk, kubernetes+"/overlays/example"),
		"no cache":   objects(t, with(t), "/k/overlays/test"),
		"github app": objects(t, with(t, app), "/k/overlays/test"),
		"both":       objects(t, with(t, cache, app), "/k/overlays/test"),
	}
}

func TestEveryObjectDecodesStrictly(t *testing.T) {
	t.Parallel()
	for name, all := range variants(t) {
		if len(of[*batchv1.CronJob](all)) != 1 || len(of[*networkingv1.NetworkPolicy](all)) != 1 || len(of[*corev1.ServiceAccount](all)) != 1 {
			t.Errorf("%s: %d objects, not one CronJob, one NetworkPolicy and one ServiceAccount among them", name, len(all))
		}
		if len(of[*corev1.Secret](all)) != 0 {
			t.Errorf("%s: a Secret stands in the manifests; they may only refer to one", name)
		}
	}
}

// A check that passes everything would be none.
func TestStrictDecodingRefusesMisspeltFields(t *testing.T) {
	t.Parallel()
	for _, document := range render(t, filesys.MakeFsOnDisk(), kubernetes+"/overlays/example") {
		misspelt := bytes.Replace(document, []byte("concurrencyPolicy:"), []byte("concurencyPolicy:"), 1)
		if bytes.Equal(misspelt, document) {
			continue
		}
		if _, err := decode(misspelt); err == nil || !strings.Contains(err.Error(), "concurencyPolicy") {
			t.Errorf("a misspelt field is decoded: %v", err)
		}
		return
	}
	t.Fatal("no document holds concurrencyPolicy")
}

// The namespace of the example enforces "restricted"; this is the evaluator
// that the API server's admission runs.
func TestPodsMeetTheRestrictedStandard(t *testing.T) {
	t.Parallel()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for name, all := range variants(t) {
		pod := of[*batchv1.CronJob](all)[0].Spec.JobTemplate.Spec.Template
		for _, r := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
			if !r.Allowed {
				t.Errorf("%s: %s: %s", name, r.ForbiddenReason, r.ForbiddenDetail)
			}
		}
	}
}

// References that kustomize must keep in step: a missing one is a pod that
// never starts.
func TestReferencesLeadSomewhere(t *testing.T) {
	t.Parallel()
	for name, all := range variants(t) {
		job := of[*batchv1.CronJob](all)[0]
		pod := job.Spec.JobTemplate.Spec.Template.Spec
		configs, claims := names(of[*corev1.ConfigMap](all)), names(of[*corev1.PersistentVolumeClaim](all))
		if account := of[*corev1.ServiceAccount](all)[0].Name; pod.ServiceAccountName != account {
			t.Errorf("%s: service account %s, the manifests make %s", name, pod.ServiceAccountName, account)
		}
		volumes := map[string]bool{}
		for _, v := range pod.Volumes {
			volumes[v.Name] = true
			if v.ConfigMap != nil && !configs[v.ConfigMap.Name] {
				t.Errorf("%s: volume %s is of ConfigMap %s, which does not exist", name, v.Name, v.ConfigMap.Name)
			}
			if v.PersistentVolumeClaim != nil && !claims[v.PersistentVolumeClaim.ClaimName] {
				t.Errorf("%s: volume %s is of claim %s, which does not exist", name, v.Name, v.PersistentVolumeClaim.ClaimName)
			}
		}
		for _, m := range pod.Containers[0].VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s: %s is mounted from volume %s, which does not exist", name, m.MountPath, m.Name)
			}
		}
		for _, e := range pod.Containers[0].Env {
			if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil && !configs[e.ValueFrom.ConfigMapKeyRef.Name] {
				t.Errorf("%s: %s is of ConfigMap %s, which does not exist", name, e.Name, e.ValueFrom.ConfigMapKeyRef.Name)
			}
		}
	}
}

// named is any object with a name.
type named interface{ GetName() string }

func names[T named](all []T) map[string]bool {
	out := map[string]bool{}
	for _, x := range all {
		out[x.GetName()] = true
	}
	return out
}

// What the API server validates and the decoder does not.
func TestJobsHoldWhatTheServerValidates(t *testing.T) {
	t.Parallel()
	for name, all := range variants(t) {
		job := of[*batchv1.CronJob](all)[0]
		spec := job.Spec.JobTemplate.Spec
		if spec.PodFailurePolicy == nil || spec.Template.Spec.RestartPolicy != corev1.RestartPolicyNever {
			t.Fatalf("%s: a pod failure policy needs restartPolicy Never", name)
		}
		container := spec.Template.Spec.Containers[0].Name
		for i, rule := range spec.PodFailurePolicy.Rules {
			if (rule.OnExitCodes == nil) == (len(rule.OnPodConditions) == 0) {
				t.Errorf("%s: rule %d must have either exit codes or pod conditions", name, i)
			}
			if c := rule.OnExitCodes; c != nil {
				checkCodes(t, name, i, container, c)
			}
		}
		for _, n := range []string{job.Name, spec.Template.Spec.ServiceAccountName} {
			if bad := validation.IsDNS1123Subdomain(n); len(bad) > 0 || len(n) > 52 {
				t.Errorf("%s: name %q: %v (a CronJob's has 52 characters at most)", name, n, bad)
			}
		}
	}
}

func checkCodes(t *testing.T, name string, rule int, container string, c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
	t.Helper()
	if c.ContainerName == nil || *c.ContainerName != container {
		t.Errorf("%s: rule %d is not about container %s", name, rule, container)
	}
	for i, code := range c.Values {
		if code == 0 && c.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn || i > 0 && c.Values[i-1] >= code {
			t.Errorf("%s: rule %d: %v must be ascending, without 0", name, rule, c.Values)
		}
	}
}

func TestComponentsChangeWhatTheySay(t *testing.T) {
	t.Parallel()
	all := variants(t)
	env := func(name string) map[string]bool {
		out := map[string]bool{}
		for _, e := range of[*batchv1.CronJob](all[name])[0].Spec.JobTemplate.Spec.Template.Spec.Containers[0].Env {
			out[e.Name] = true
		}
		return out
	}
	if !env("no cache")["RETROSWEEP_TOKEN"] || env("github app")["RETROSWEEP_TOKEN"] || !env("github app")["RETROSWEEP_APP_KEY_FILE"] {
		t.Error("the component github-app must replace the token by the App")
	}
	for name, claims := range map[string]int{"base": 0, "example": 1, "no cache": 0, "github app": 0, "both": 1} {
		if got := len(of[*corev1.PersistentVolumeClaim](all[name])); got != claims {
			t.Errorf("%s: %d claims, not %d", name, got, claims)
		}
		if got := cacheKind(t, all[name]); (got == "claim") != (claims == 1) {
			t.Errorf("%s: the cache is of kind %s with %d claims", name, got, claims)
		}
	}
}

// cacheKind is what the volume "cache" is made of; it must be one thing.
func cacheKind(t *testing.T, all []runtime.Object) string {
	t.Helper()
	for _, v := range of[*batchv1.CronJob](all)[0].Spec.JobTemplate.Spec.Template.Spec.Volumes {
		switch {
		case v.Name != "cache":
		case v.EmptyDir != nil && v.PersistentVolumeClaim != nil:
			t.Error("the volume cache is an emptyDir and a claim at once")
		case v.EmptyDir != nil:
			return "emptyDir"
		case v.PersistentVolumeClaim != nil:
			return "claim"
		}
	}
	return "none"
}

func TestEverythingIsInOneNamespace(t *testing.T) {
	t.Parallel()
	all := variants(t)["example"]
	space := of[*corev1.Namespace](all)[0].Name
	for _, o := range all {
		m, ok := o.(interface {
			GetNamespace() string
			GetName() string
		})
		if _, self := o.(*corev1.Namespace); !ok || !self && m.GetNamespace() != space {
			t.Errorf("%T is not in namespace %s, which the example makes", o, space)
		}
	}
}
