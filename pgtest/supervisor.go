package pgtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// supervisorVariable, when set, makes this executable a supervisor instead of what it is.
const supervisorVariable = "PGTEST_SUPERVISOR"

func init() {
	settings, ok := os.LookupEnv(supervisorVariable)
	if !ok {
		return
	}
	_ = os.Unsetenv(supervisorVariable)
	var cfg config
	if err := json.Unmarshal([]byte(settings), &cfg); err != nil {
		log.Fatalf("%s: %v", supervisorVariable, err)
	}
	if err := supervise(cfg); err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}

// supervisor keeps a server for as long as anybody needs it.
type supervisor struct {
	cfg    config
	ready  chan struct{} // Closed when answer is valid.
	answer response
	socket fs.FileInfo

	mu      sync.Mutex
	clients int
	since   time.Time             // Of the last change of clients.
	waiting map[net.Conn]struct{} // Private clients that wait for the end.
	errs    []error               // To tell them.
}

func supervise(cfg config) error {
	// The server is to die with the thread that started it: that must be the one that lives as long as the process.
	runtime.LockOSThread()
	syscall.Umask(0o022) // Downloaded binaries are run by another user.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()

	socket := os.NewFile(3, "socket")
	listener, err := net.FileListener(socket)
	if err != nil {
		return fmt.Errorf("inherited socket: %w", err)
	}
	_ = socket.Close()

	s := &supervisor{cfg: cfg, ready: make(chan struct{}), since: time.Now(), waiting: map[net.Conn]struct{}{}}
	if s.socket, err = os.Lstat(filepath.Join(cfg.Dir, socketFile)); err != nil {
		return err
	}
	unused := make(chan *os.File, 1)
	go s.accept(listener)
	go s.watch(ctx, stop, unused)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		sweep(cfg.Dir)
	}()

	server, err := s.open(ctx)
	if err != nil {
		s.answer.Error = err.Error()
	}
	close(s.ready)
	select {
	case <-ctx.Done():
	case <-server.ended(): // It crashed. Clients see us go, and start anew.
	}

	stop()
	<-swept
	lock := <-unused
	if lock == nil && s.atHome() {
		if lock, err = lockState(context.Background(), cfg.Dir); err != nil {
			return errors.Join(err, server.stop())
		}
	}
	_ = listener.Close()
	err = server.stop()
	if lock != nil && s.atHome() {
		err = errors.Join(err, removeState(cfg.Dir, lock))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = errors.Join(append(s.errs, err)...)
	for conn := range s.waiting {
		if err != nil {
			_ = json.NewEncoder(conn).Encode(response{Error: err.Error()})
		}
	}
	return err
}

// open starts the server, unless there is one in DATABASE_URL. A nil cluster is fine to use.
func (s *supervisor) open(ctx context.Context) (*cluster, error) {
	if external := os.Getenv("DATABASE_URL"); external != "" {
		if err := ping(ctx, external); err != nil {
			return nil, fmt.Errorf("DATABASE_URL is set, but can't be used: %w", err)
		}
		s.answer.URL, s.answer.External = external, true
		return nil, nil
	}
	bin, err := binaries(ctx, s.cfg.Dir)
	if err != nil {
		return nil, err
	}
	server, err := startCluster(ctx, bin, s.cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL from %s: %w", bin, err)
	}
	s.answer.URL = server.url
	return server, nil
}

func ping(ctx context.Context, server string) error {
	u, err := url.Parse(server)
	if err != nil {
		return errors.New("it is not a URL") // The error would show the password.
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return errors.New("it must be a URL like postgres://user:password@host:5432/database")
	}
	ctx, cancel := context.WithTimeout(ctx, sqlTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func (s *supervisor) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		s.count(+1)
		go s.serve(conn)
	}
}

// serve ends when the client does: it sends nothing after its first line.
func (s *supervisor) serve(conn net.Conn) {
	defer s.count(-1)
	encoder, decoder := json.NewEncoder(conn), json.NewDecoder(conn)
	var r request
	if encoder.Encode(response{PID: os.Getpid()}) != nil || decoder.Decode(&r) != nil {
		_ = conn.Close()
		return
	}
	go func() {
		<-s.ready
		_ = encoder.Encode(s.answer)
	}()
	_, _ = io.Copy(io.Discard, conn)
	if s.cfg.Private { // It may only have closed its half, and wait for ours.
		s.mu.Lock()
		s.waiting[conn] = struct{}{}
		s.mu.Unlock()
	} else {
		_ = conn.Close()
	}

	select {
	case <-s.ready:
	default:
		return // It can't have made a database yet.
	}
	if !s.answer.External {
		return // Its databases go with the cluster.
	}
	ctx, cancel := context.WithTimeout(context.Background(), sqlTimeout)
	defer cancel()
	if err := dropDatabases(ctx, s.answer.URL, r.Prefix); err != nil {
		log.Print(err)
		s.mu.Lock()
		s.errs = append(s.errs, err)
		s.mu.Unlock()
	}
}

// atHome is false when somebody removed our directory, with the temporary one around it perhaps. What is there now, if
// anything, is another supervisor's.
func (s *supervisor) atHome() bool {
	info, err := os.Lstat(filepath.Join(s.cfg.Dir, socketFile))
	return err == nil && os.SameFile(info, s.socket) && info.ModTime().Equal(s.socket.ModTime())
}

func (s *supervisor) count(delta int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clients += delta
	s.since = time.Now()
}

func (s *supervisor) unused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients > 0 {
		return false
	}
	if s.cfg.Owner.PID != 0 {
		return !s.cfg.Owner.alive()
	}
	return time.Since(s.since) >= s.cfg.Grace
}

// watch calls stop once nobody needs the server any more, and hands over the lock under which that is sure to stay so.
// If something else ends ctx it hands over nil.
func (s *supervisor) watch(ctx context.Context, stop func(), unused chan<- *os.File) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			unused <- nil
			return
		case <-tick.C:
		}
		if !s.unused() {
			continue
		}
		lock, err := tryLockState(s.cfg.Dir)
		if errors.Is(err, errLocked) {
			continue // A client may be about to join.
		}
		if s.unused() {
			unused <- lock // Nil if our directory was removed.
			stop()
			return
		}
		if lock != nil {
			_ = lock.Close()
		}
	}
}
