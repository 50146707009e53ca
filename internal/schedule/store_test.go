package schedule_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/schedule"
)

func TestStoresRemember(t *testing.T) {
	t.Parallel()
	file := schedule.File(filepath.Join(t.TempDir(), "deep", "mark.json"))
	for name, store := range map[string]schedule.Store{"memory": new(schedule.Memory), "file": file, "both": schedule.Newest{new(schedule.Memory), schedule.File(filepath.Join(t.TempDir(), "mark.json"))}} {

		if got, err := store.Last(t.Context()); err != nil || got != (schedule.Mark{}) {
			t.Errorf("%s: at first it knows %+v, %v", name, got, err)
		}
		want := schedule.Mark{At: at(t, "2026-11-30T04:30:00Z"), Attempts: 2}
		for _, done := range []bool{false, true} {
			want.Done = done
			if err := store.Save(t.Context(), want); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, err := store.Last(t.Context())
			if err != nil || !got.At.Equal(want.At) || got.Done != want.Done || got.Attempts != want.Attempts {
				t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
			}
		}
	}
	left, err := os.ReadDir(filepath.Dir(string(file)))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the file there is %v, %v", left, err)
	}
}

func TestAFileThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mark.json")
	if err := os.WriteFile(path, []byte(`{"at": "yester`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := schedule.File(path).Last(t.Context()); err == nil {
		t.Error("half a file is a mark")
	}
	if err := schedule.File(filepath.Join(path, "below")).Save(t.Context(), schedule.Mark{}); err == nil {
		t.Error("a file holds a file")
	}
}

func TestTheNewestOfSeveralCounts(t *testing.T) {
	t.Parallel()
	old, young := new(schedule.Memory), new(schedule.Memory)
	_ = old.Save(t.Context(), schedule.Mark{At: time.Unix(1000, 0), Done: true})
	_ = young.Save(t.Context(), schedule.Mark{At: time.Unix(2000, 0)})
	for _, stores := range []schedule.Newest{{old, young}, {young, old}, {broken{}, young, old}} {
		got, err := stores.Last(t.Context())
		if got.At != time.Unix(2000, 0) {
			t.Errorf("got %+v", got)
		}
		if (err != nil) != (len(stores) == 3) {
			t.Errorf("the fault of a store is %v", err)
		}
	}
	if err := (schedule.Newest{broken{}, old}).Save(t.Context(), schedule.Mark{At: time.Unix(3000, 0)}); err == nil {
		t.Error("the fault is lost")
	}
	if got, _ := old.Last(t.Context()); got.At != time.Unix(3000, 0) {
		t.Errorf("behind a broken one nothing is saved: %+v", got)
	}
}
