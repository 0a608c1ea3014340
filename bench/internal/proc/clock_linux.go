package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock reads the clock that clock_getcpuclockid(3) names: what /proc/PID/stat
// counts in hundredths of a second, it has in nanoseconds.
func clock(pid int) (time.Duration, error) {
	var now unix.Timespec
	err := unix.ClockGettime(int32(^pid)<<3|2, &now)
	return time.Duration(now.Nano()), err
}
