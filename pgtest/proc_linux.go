package pgtest

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// process is a process that can't be mistaken for a later one with the same id.
type process struct {
	PID     int
	Started string // In clock ticks after boot.
}

// goCommand returns the process pid if that is the go command, else zero.
func goCommand(pid int) process {
	name, started, _ := processStat(pid)
	if name != "go" {
		return process{}
	}
	return process{PID: pid, Started: started}
}

func (p process) alive() bool {
	_, started, state := processStat(p.PID)
	return started == p.Started && state != "Z" && state != "X"
}

// processStat reads proc_pid_stat(5); all are empty if there is no such process.
func processStat(pid int) (name, started, state string) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", ""
	}
	// The name is in parentheses, and may itself hold spaces and parentheses.
	text := string(content)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return "", "", ""
	}
	fields := strings.Fields(text[end+1:]) // From the third on.
	if len(fields) < 20 {
		return "", "", ""
	}
	return text[open+1 : end], fields[19], fields[0]
}

// endWithParent has the kernel send the signal when the thread that starts the process ends.
func endWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) { attr.Pdeathsig = signal }

// isServerOf tells by the working directory, which a server's is its data directory.
func isServerOf(pid int, data string) bool {
	cwd, err1 := os.Stat(fmt.Sprintf("/proc/%d/cwd", pid))
	dir, err2 := os.Stat(data)
	return err1 == nil && err2 == nil && os.SameFile(cwd, dir)
}
