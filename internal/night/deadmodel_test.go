package night_test

import (
	"context"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/report"
)

// A model that cannot be reached ends the retro, whose watermark stays; the sweep
// is done all the same, and the receipt says both.
func TestDeadModelCostsTheSweepNothing(t *testing.T) {
	t.Parallel()
	for _, fault := range []llmtest.Fault{llmtest.Unauthorized, llmtest.RateLimited, llmtest.Overloaded} {
		r := build(t, kitchen)
		o := options(r)
		fake := &llmtest.Fake{Answer: func(llm.Request) (llmtest.Reply, bool) { return llmtest.Reply{Fault: fault}, true }}
		c, err := llm.New(llm.Options{
			Default: llm.Stage{Generator: fake}, Retry: llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }},
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Model = c
		got := run(t, o)
		w := got.Watermark
		if got.Outcome != report.Partial || len(got.Warnings) == 0 || w.Retro.Moved() || !w.Sweep.Moved() || got.Facts.Total == 0 || len(got.Proposals) == 0 {
			t.Errorf("%s: %s, warnings %v, watermark %+v, %d facts, %d proposals", fault, got.Outcome, got.Warnings, w, got.Facts.Total, len(got.Proposals))
		}
	}
}
