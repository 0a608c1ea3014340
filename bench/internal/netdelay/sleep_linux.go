package netdelay

import (
	"syscall"
	"time"
)

// sleepUntil sleeps in the kernel: time.Sleep wakes up to a millisecond late
// when the process has nothing else to do.
func sleepUntil(due time.Time) {
	for left := time.Until(due); left > 0; left = time.Until(due) {
		ts := syscall.NsecToTimespec(int64(left))
		_ = syscall.Nanosleep(&ts, nil) // interrupted, it sleeps again
	}
}
