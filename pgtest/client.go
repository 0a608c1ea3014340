package pgtest

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// config is what the supervisor is told by the process that starts it.
type config struct {
	Dir     string        // The state directory.
	Owner   process       // The `go` command whose end is the supervisor's end; zero if there is none.
	Grace   time.Duration // How long to wait without clients, where there is no owner.
	Private bool          // One program's server.
}

// request is the first line a client sends, response what the supervisor sends: one at once, one when the server is
// ready, and to a private client one after the end.
type request struct{ Prefix string }

type response struct {
	PID      int    `json:",omitempty"`
	URL      string `json:",omitempty"`
	External bool   `json:",omitempty"`
	Error    string `json:",omitempty"`
}

// client is this process's connection to a supervisor. That it is open tells the supervisor that the process lives:
// the kernel closes it however the process ends.
type client struct {
	conn       *net.UnixConn
	decoder    *json.Decoder
	supervisor int
	url        string
	external   bool
	prefix     string        // Of the databases that this process makes.
	gone       chan struct{} // Closed when the supervisor has gone.
	farewell   error         // Valid once gone is closed.
}

// grace is long enough for a script to start one test binary after the other.
var grace = 3 * time.Second

func sharedConfig() config {
	parent := os.Getppid()
	owner := goCommand(parent)
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s\n%s\n%s\n%s", parent, owner.Started,
		os.Getenv("DATABASE_URL"), os.Getenv("PGTEST_BINDIR"), os.Getenv("PGTEST_REPOSITORY_URL")))
	return config{Dir: stateDir(hex.EncodeToString(sum[:6])), Owner: owner, Grace: grace}
}

func privateConfig() config {
	return config{Dir: stateDir("p" + randomHex(6)), Private: true}
}

// connect returns a client of the supervisor for cfg, which it starts unless it runs already.
func connect(ctx context.Context, cfg config) (*client, error) {
	c, err := join(ctx, cfg)
	if err != nil {
		return nil, err
	}
	answer, err := c.receive(ctx)
	switch {
	case err != nil:
		err = fmt.Errorf("wait for the server: %w%s%s", err,
			tail(filepath.Join(cfg.Dir, logFile)), tail(filepath.Join(cfg.Dir, serverLogFile)))
	case answer.Error != "":
		err = errors.New(answer.Error)
	}
	if err != nil {
		_ = c.conn.Close()
		return nil, err
	}
	c.url, c.external = answer.URL, answer.External
	go func() {
		defer close(c.gone)
		if last, err := c.receive(context.Background()); err == nil && last.Error != "" {
			c.farewell = errors.New(last.Error)
		}
	}()
	return c, nil
}

// join holds the state directory's lock until the supervisor has greeted us. A supervisor decides to stop, and stops,
// under the same lock: it counts every client before it decides, and who comes later finds it gone and starts another.
func join(ctx context.Context, cfg config) (*client, error) {
	lock, err := lockState(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }()

	address := &net.UnixAddr{Net: "unix", Name: filepath.Join(cfg.Dir, socketFile)}
	conn, err := net.DialUnix("unix", nil, address)
	if err != nil {
		// Nobody listens. What is left is that of a supervisor that was killed.
		if err := clearState(cfg.Dir); err != nil {
			return nil, err
		}
		if err := spawn(cfg, address); err != nil {
			return nil, fmt.Errorf("start the supervisor: %w", err)
		}
		if conn, err = net.DialUnix("unix", nil, address); err != nil {
			return nil, fmt.Errorf("supervisor: %w", err)
		}
	}
	c := &client{
		conn:    conn,
		decoder: json.NewDecoder(bufio.NewReader(conn)),
		prefix:  "pgtest_" + randomHex(4) + "_",
		gone:    make(chan struct{}),
	}
	greeting, err := c.receive(ctx)
	if err == nil {
		c.supervisor = greeting.PID
		err = json.NewEncoder(conn).Encode(request{Prefix: c.prefix})
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("supervisor: %w%s", err, tail(filepath.Join(cfg.Dir, logFile)))
	}
	return c, nil
}

// spawn starts this executable again as the supervisor; init sends it to supervise. The socket is opened here and
// inherited, so that there is no moment at which the supervisor runs but can't be reached.
func spawn(cfg config, address *net.UnixAddr) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	settings, err := json.Marshal(cfg)
	if err != nil {
		return err
	}
	listener, err := net.ListenUnix("unix", address)
	if err != nil {
		return err
	}
	listener.SetUnlinkOnClose(false)
	defer func() { _ = listener.Close() }()
	socket, err := listener.File()
	if err != nil {
		return err
	}
	defer func() { _ = socket.Close() }()
	log, err := os.Create(filepath.Join(cfg.Dir, logFile))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()

	cmd := exec.Command(executable)
	cmd.Args = []string{"pgtest-supervisor", cfg.Dir}
	cmd.Env = append(os.Environ(), supervisorVariable+"="+string(settings))
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log // Inherited ones would keep `go test` waiting for their end.
	cmd.ExtraFiles = []*os.File{socket}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Out of reach of the terminal's Ctrl-C.
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // Leave no zombie in a process that lives on.
	return nil
}

func (c *client) receive(ctx context.Context) (response, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var r response
	err := c.decoder.Decode(&r)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r, err
}

func (c *client) alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return true
	}
}

// close says goodbye and waits until a private supervisor has cleaned up.
func (c *client) close() error {
	defer func() { _ = c.conn.Close() }()
	if err := c.conn.CloseWrite(); err != nil && c.alive() {
		return fmt.Errorf("stop the server: %w", err)
	}
	select {
	case <-c.gone:
		return c.farewell
	case <-time.After(30 * time.Second):
		return errors.New("stop the server: its supervisor doesn't end")
	}
}

// tail returns the end of a log for an error's text.
func tail(path string) string {
	const keep = 4 << 10
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > keep {
		_, _ = f.Seek(-keep, io.SeekEnd)
	}
	text, _ := io.ReadAll(f)
	if len(text) == 0 {
		return ""
	}
	return "\n" + filepath.Base(path) + ":\n" + strings.TrimSpace(string(text))
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // Never fails.
	return hex.EncodeToString(b)
}
