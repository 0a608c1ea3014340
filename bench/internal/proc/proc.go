// Package proc tells how much CPU time processes have had, where there is a
// /proc as Linux has it.
package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of /proc/PID/stat, on every platform that Linux runs on.
const tick = time.Second / 100

// Measurable says whether this system has what it takes.
func Measurable() bool {
	_, err := TreeCPU(os.Getpid())
	return err == nil
}

// CPU is the time that a process took, of user and system together.
func CPU(pid int) (time.Duration, error) { return clock(pid) }

// TreeCPU is the time of a process and all of its children, those that have
// ended included.
func TreeCPU(pid int) (time.Duration, error) {
	s, err := stat(pid)
	if err != nil {
		return 0, err
	}
	children, err := children(pid)
	if err != nil {
		return 0, err
	}
	sum := s.ended
	for _, p := range append(children, pid) {
		used, err := clock(p)
		if err != nil {
			if _, gone := stat(p); errors.Is(gone, os.ErrNotExist) {
				continue // it has just ended
			}
			return 0, fmt.Errorf("process %d: %w", p, err)
		}
		sum += used
	}
	return sum, nil
}

func children(parent int) (pids []int, err error) {
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			return nil, err
		}
		if s, err := stat(pid); err == nil && s.parent == parent {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

type status struct {
	parent int
	ended  time.Duration // the time of the children that have ended
}

// stat reads /proc/PID/stat, which proc(5) describes.
func stat(pid int) (s status, err error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return s, err
	}
	// The second field is a name in parentheses, and may have some itself.
	fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
	if len(fields) < 15 {
		return s, fmt.Errorf("process %d: its stat has %d fields", pid, len(fields))
	}
	number := func(field int) int64 {
		n, e := strconv.ParseInt(fields[field-3], 10, 64)
		err = errors.Join(err, e)
		return n
	}
	s.parent = int(number(4))
	s.ended = time.Duration(number(16)+number(17)) * tick
	return s, err
}
