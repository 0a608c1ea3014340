package proc

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// What a child burns shows while it runs, and after it has ended.
func TestTreeCPU(t *testing.T) {
	if !Measurable() {
		t.Log("this system has no /proc: there is nothing to test")
		return
	}
	read := func() time.Duration {
		t.Helper()
		used, err := TreeCPU(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	before := read()
	child := exec.Command("sh", "-c", "while :; do :; done")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	const burnt = 100 * time.Millisecond
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		used, err := CPU(child.Process.Pid)
		if err != nil {
			t.Fatal(err)
		}
		if used > burnt {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("a busy child had %s", used)
		}
	}
	during := read() - before
	_ = child.Process.Kill()
	_ = child.Wait()
	after := read() - before
	if during < burnt || after < burnt-2*tick {
		t.Errorf("the child's time: %s while it ran, %s when it had ended; want %s", during, after, burnt)
	}
}
