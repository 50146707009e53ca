package night

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/report"
)

// repositoryFile is what the repository itself may say, read from the base.
const repositoryFile = ".retrosweep.yaml"

// maxConfig bounds the repository's file, in bytes.
const maxConfig = 64 << 10

// configure reads the repository's file from the tip of the base branch, never
// from the commits under review by --to, and builds the policy: the operator's
// rules first, then what the repository narrows.
func (r *run) configure(context.Context) error {
	repository, err := r.repositoryConfig()
	if err != nil {
		return err
	}
	if !r.Config.Enabled {
		r.receipt.Outcome = report.Skipped
		r.warn("the operator's configuration says enabled: false")
		return nil
	}
	if !repository.Enabled {
		r.receipt.Outcome = report.Skipped
		r.warn("%s says enabled: false", repositoryFile)
		return nil
	}
	r.classes = knowledge.NewClassifier(config.Rules(r.Config, repository))
	r.policy = guard.NewPolicy(r.classes, r.Config.Routes, repository.Routes)
	r.ignores = slices.Concat(r.Config.Ignore, repository.Ignore)
	return nil
}

func (r *run) repositoryConfig() (config.Repository, error) {
	tree, err := r.Repo.Tree(r.scope.head.Tree)
	if err != nil {
		return config.Repository{}, err
	}
	entry, ok, err := tree.Entry(repositoryFile)
	if err != nil || !ok {
		return config.DefaultRepository(), err
	}
	content, err := r.Repo.Blob(entry.Hash, maxConfig)
	if err != nil {
		return config.Repository{}, fmt.Errorf("%s: %w", repositoryFile, err)
	}
	repository, err := config.ParseRepository(content)
	var faults *config.Faults
	if errors.As(err, &faults) { // say in which commit, the working tree may differ
		return repository, fmt.Errorf("%s at %s:\n%w", repositoryFile, short(r.scope.head.Hash.String()), err)
	}
	return repository, err
}

// ignored reports whether an ignore that has not ended names path.
func (r *run) ignored(path string) bool {
	_, ok := config.Ignored(r.ignores, path, r.Now)
	return ok
}

// read loads every knowledge file of the overlay.
func (r *run) read(ctx context.Context) error {
	tree, err := r.view.Tree(r.stack.tree)
	if err != nil {
		return err
	}
	r.corpus, err = corpus.Load(ctx, r.view, tree, r.classes, corpus.Options{Ignore: r.ignored})
	if err != nil {
		return err
	}
	for _, w := range r.corpus.Warnings {
		r.warn("%s", w)
	}
	for _, d := range r.corpus.Docs {
		for _, f := range d.Faults {
			r.warn("%s:%d: %s", d.Path, f.Line, f.Text)
		}
	}
	return nil
}
