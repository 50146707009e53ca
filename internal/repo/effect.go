package repo

import "github.com/go-git/go-git/v5/plumbing"

// Effects that a repository has on the world.
const (
	EffectObject    = "object"    // an object is written; the subject is its type
	EffectReference = "reference" // a reference moves or goes; the subject is its name
	EffectPush      = "push"      // references of a remote move; the subject is the first one's name
)

// OnEffect calls f before each effect of the repository, in the order in which
// they are made; an error of f is returned instead of making it. What is there
// already is no effect, and neither is a push that moves nothing. Fault
// injectors stop a run with it at every point where it can be stopped. It is set
// before the repository is used, and holds for views made after it.
func (r *Repo) OnEffect(f func(kind, subject string) error) {
	r.effect = f
	r.objects = &watchedStore{objects: r.objects, effect: f}
}

// before is called before an effect.
func (r *Repo) before(kind, subject string) error {
	if r.effect == nil {
		return nil
	}
	return r.effect(kind, subject)
}

// watchedStore tells of each object before it is written.
type watchedStore struct {
	objects
	effect func(kind, subject string) error
}

func (s *watchedStore) write(t plumbing.ObjectType, b []byte) (Hash, error) {
	if h := plumbing.ComputeHash(t, b); s.has(h) {
		return h, nil
	}
	if err := s.effect(EffectObject, t.String()); err != nil {
		return Hash{}, err
	}
	return s.objects.write(t, b)
}
