package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A supervisor's state directory holds these, the cluster's files in serverDir, and perhaps downloaded binaries.
const (
	lockFile   = "lock"
	socketFile = "sock"
	logFile    = "supervisor.log"
	serverDir  = "pg"

	serverLogFile = "postgres.log"
)

var errLocked = errors.New("locked")

func statePrefix() string { return fmt.Sprintf("pgtest-%d-", os.Getuid()) }

func stateDir(key string) string { return filepath.Join(stateBase(), statePrefix()+key) }

// stateBase is the temporary directory, or /tmp if a Unix socket's path (104 bytes at most on some systems) would not
// fit in it, or if the unprivileged user whom root starts servers as could not enter it.
func stateBase() string {
	base, err := filepath.Abs(os.TempDir())
	if err != nil || len(base) > 55 {
		return "/tmp"
	}
	if os.Getuid() == 0 {
		for dir := base; dir != "/"; dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
				return "/tmp"
			}
		}
	}
	return base
}

// makeState makes the directory or checks that it is ours: in a shared /tmp somebody else may have made it first.
func makeState(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := checkState(dir); err != nil {
		return err
	}
	mode := fs.FileMode(0o700)
	if os.Getuid() == 0 {
		mode = 0o711 // The unprivileged user must pass through to serverDir.
	}
	return os.Chmod(dir, mode)
}

func checkState(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() || info.Mode()&0o022 != 0 {
		return fmt.Errorf("%s is not a directory that only we can write to; remove it or set TMPDIR", dir)
	}
	return nil
}

// lockState makes the directory if need be and waits for its lock. Closing the file unlocks, and so does our death.
func lockState(ctx context.Context, dir string) (*os.File, error) {
	for {
		err := makeState(dir)
		if err == nil {
			var lock *os.File
			if lock, err = tryLockState(dir); err == nil {
				return lock, nil
			}
		}
		// ErrNotExist: it was removed between two of our steps. Without the directory around it that would be for ever.
		_, gone := os.Stat(filepath.Dir(dir))
		if gone != nil || !errors.Is(err, errLocked) && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("state directory: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for %s: %w", dir, context.Cause(ctx))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func tryLockState(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, err
	}
	// A lock on a file that its holder has just removed excludes nobody.
	mine, err1 := f.Stat()
	current, err2 := os.Lstat(path)
	if err1 != nil || err2 != nil || !os.SameFile(mine, current) {
		_ = f.Close()
		return nil, errLocked
	}
	return f, nil
}

// removeState removes the directory, whose lock the caller holds, and unlocks it.
func removeState(dir string, lock *os.File) error {
	defer func() { _ = lock.Close() }()
	if err := clearState(dir); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, lockFile)); err != nil {
		return err
	}
	// From here on somebody else may be at home in it; then it isn't empty, and stays.
	_ = os.Remove(dir)
	return nil
}

// clearState removes everything but the lock, which the caller holds, after ending the server if it still runs.
func clearState(dir string) error {
	killOrphan(filepath.Join(dir, serverDir, "data"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == lockFile {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		err := os.RemoveAll(path)
		for try := 0; err != nil && try < 20; try++ { // Processes on their way out may still write.
			time.Sleep(50 * time.Millisecond)
			err = os.RemoveAll(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep removes what supervisors of this user that were killed have left, beside our own directory.
func sweep(own string) {
	dirs, _ := filepath.Glob(filepath.Join(filepath.Dir(own), statePrefix()+"*"))
	for _, dir := range dirs {
		if dir == own || checkState(dir) != nil {
			continue
		}
		lock, err := tryLockState(dir)
		if err != nil {
			continue
		}
		if conn, err := net.Dial("unix", filepath.Join(dir, socketFile)); err == nil {
			_ = conn.Close()
			_ = lock.Close()
			continue
		}
		_ = removeState(dir, lock)
	}
}

// killOrphan ends the server of a data directory whose supervisor is gone. Process ids are reused, so the process must
// prove to be that server.
func killOrphan(data string) {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return
	}
	lines := strings.Split(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 1 || len(lines) < 2 || lines[1] != data {
		return
	}
	for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		for try := 0; try < 100 && isServerOf(pid, data); try++ {
			if try == 0 {
				_ = syscall.Kill(pid, signal)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}
