//go:build !linux

package pgtest

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// process is of use on Linux only: without /proc, the time of grace alone decides when a supervisor ends.
type process struct {
	PID     int
	Started string
}

func goCommand(int) process { return process{} }

func (process) alive() bool { return false }

// endWithParent does nothing: the server of a supervisor that was killed is ended by the next supervisor.
func endWithParent(*syscall.SysProcAttr, syscall.Signal) {}

// isServerOf tells by the command line, on which we name the data directory.
func isServerOf(pid int, data string) bool {
	out, err := exec.Command("ps", "-ww", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "-D "+data+" ")
}
