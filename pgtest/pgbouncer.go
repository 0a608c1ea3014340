package pgtest

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// PgBouncer starts a PgBouncer in transaction mode in front of the database, and returns the database's URL by way of
// it. It ends with the test, or with the test's process however that ends (on Linux). It takes transactions in turns to
// several connections, so that what leaks from one transaction to the next shows. Without the program pgbouncer the test
// ends with tb.Fatalf.
func PgBouncer(tb TB, databaseURL string) string {
	tb.Helper()
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		bin, err = exec.LookPath("/usr/sbin/pgbouncer") // Debian's, which is on root's PATH only.
	}
	if err != nil {
		tb.Fatalf("pgtest: pgbouncer isn't installed (apt-get install pgbouncer, brew install pgbouncer): %v", err)
		return ""
	}
	// The free port may be taken by somebody else before PgBouncer takes it.
	for try := 1; ; try++ {
		pooler, stop, err := startPgBouncer(bin, databaseURL)
		if err == nil {
			tb.Cleanup(stop)
			return pooler
		}
		if try == 3 {
			tb.Fatalf("pgtest: %v", err)
			return ""
		}
	}
}

func startPgBouncer(bin, databaseURL string) (pooler string, stop func(), err error) {
	credential, err := unprivileged() // PgBouncer, too, refuses to run as root.
	if err != nil {
		return "", nil, err
	}
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	settings, pooler, err := pgBouncerSettings(databaseURL, port)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "pgbouncer-")
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // It has read its file by then, and a crash leaves nothing behind.
	config, log := filepath.Join(dir, "pgbouncer.ini"), filepath.Join(dir, "pgbouncer.log")
	err = os.WriteFile(config, []byte(settings), 0o600)
	if err == nil && credential != nil {
		err = errors.Join(
			os.Chown(dir, int(credential.Uid), int(credential.Gid)),
			os.Chown(config, int(credential.Uid), int(credential.Gid)))
	}
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(bin, config)
	cmd.Dir = dir // Ours may be closed to that user.
	cmd.Env = serverEnv()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	endWithParent(cmd.SysProcAttr, syscall.SIGKILL) // It keeps nothing.
	done, err := startLocked(cmd, log)
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill() // It has ended already, or will now.
		<-done
	}
	if err := pgBouncerReady(log, done); err != nil {
		stop()
		return "", nil, err
	}
	return pooler, stop, nil
}

// startLocked is start on a thread that lives as long as the process: with the thread that started it, it would die.
func startLocked(cmd *exec.Cmd, log string) (<-chan struct{}, error) {
	type started struct {
		done <-chan struct{}
		err  error
	}
	result := make(chan started)
	go func() {
		runtime.LockOSThread() // Until the goroutine ends.
		done, err := start(cmd, log)
		result <- started{done, err}
		if err == nil {
			<-done
		}
	}()
	r := <-result
	return r.done, r.err
}

// pgBouncerReady waits until the process itself says that it serves: on the port somebody else might answer.
func pgBouncerReady(log string, done <-chan struct{}) error {
	deadline := time.After(sqlTimeout)
	for {
		content, _ := os.ReadFile(log)
		if strings.Contains(string(content), "process up") {
			return nil
		}
		select {
		case <-done:
			return fmt.Errorf("pgbouncer ended%s", tail(log))
		case <-deadline:
			return fmt.Errorf("pgbouncer isn't ready after %s%s", sqlTimeout, tail(log))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// pgBouncerSettings returns PgBouncer's configuration, and the URL of the database behind it.
func pgBouncerSettings(databaseURL string, port int) (settings, pooler string, err error) {
	u, err := url.Parse(databaseURL)
	if err != nil || u.Hostname() == "" {
		return "", "", errors.New("the database has no URL with a host") // The error would show the password.
	}
	serverPort := u.Port()
	if serverPort == "" {
		serverPort = "5432"
	}
	password, _ := u.User.Password()
	// In a connection string a quote in a quoted value is doubled.
	quote := func(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }
	server := fmt.Sprintf("host=%s port=%s user=%s", quote(u.Hostname()), serverPort, quote(u.User.Username()))
	if password != "" {
		server += " password=" + quote(password)
	}
	settings = strings.Join([]string{
		"[databases]",
		"* = " + server,
		"[pgbouncer]",
		"listen_addr = 127.0.0.1",
		fmt.Sprint("listen_port = ", port),
		"unix_socket_dir =",
		"auth_type = any", // Whoever comes is the user of [databases].
		"pool_mode = transaction",
		"max_client_conn = 1000",
		"default_pool_size = 20",
		"server_round_robin = 1",
		"server_tls_sslmode = prefer",
		"",
	}, "\n")
	u.Host = net.JoinHostPort("127.0.0.1", fmt.Sprint(port))
	query := u.Query()
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	return settings, u.String(), nil
}
