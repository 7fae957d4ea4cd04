package verify

import "time"

// moment is a moment by both clocks. The monotonic one (steady) cannot be set, but on some systems it stops while the
// machine sleeps. The wall clock continues then, but can be set.
type moment struct {
	steady time.Duration
	wall   time.Time
}

type clock func() moment

var processStart = time.Now()

func systemClock() moment {
	now := time.Now()
	return moment{steady: now.Sub(processStart), wall: now.Round(0)}
}

// age returns the time since then, by the clock that shows more: setting a clock can only increase it.
func (c clock) age(then moment) time.Duration {
	now := c()
	steady, wall := now.steady-then.steady, now.wall.Sub(then.wall)
	if wall < 0 {
		wall = -wall
	}
	if wall > steady {
		return wall
	}
	return steady
}
