// Package schedule owns when a night begins: it reads cron expressions, turns
// them into slots, and runs a job once for each slot.
//
// A [Slot] is a local date and time that the expression names, such as
// 2026-11-30T04:30 in Berlin. Slots are what runs are counted by, because
// instants are not what people write into a schedule: on the day the clocks go
// back an hour comes twice and its slots are run the first time only; on the
// day they go forward an hour does not come and its slots are run once, as soon
// as the hour is jumped over. The expression is therefore evaluated on a clock
// without jumps, and each slot is then laid on the zone's own.
//
// A [Runner] keeps to the slots while the process lives, through
// github.com/robfig/cron: one job at a time, a slot that comes while the one
// before still runs is skipped and counted, and a panic in one job does not
// keep the next from running. What was last run is remembered in a [Store], so
// that a process that was down catches up, once, however many slots it missed.
package schedule
