package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// settings are what one would set in production on a machine of this size.
// Everything that is safe by default stays so: fsync, synchronous_commit and
// full_page_writes are on, autovacuum runs.
var settings = []string{"shared_buffers=1GB", "max_wal_size=4GB", "max_connections=200"}

// server is a PostgreSQL server, ours if cmd is set.
type server struct {
	url string
	cmd *exec.Cmd
}

// startServer makes a cluster in dir and starts it, with more settings.
func startServer(ctx context.Context, dir string, more ...string) (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "postgresql")
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	attr := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // which PostgreSQL refuses to run as
		account, err := user.Lookup("postgres")
		if err != nil {
			return nil, fmt.Errorf("we are root, PostgreSQL must not be: %w", err)
		}
		uid, err1 := strconv.ParseUint(account.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(home, int(uid), int(gid))); err != nil {
			return nil, err
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(home, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C")
	initdb.Dir, initdb.SysProcAttr = home, attr
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	args := []string{"-D", data, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + home, "-p", strconv.Itoa(port)}
	for _, setting := range slices.Concat(settings, more) {
		args = append(args, "-c", setting)
	}
	// Not CommandContext: it is stopped in order, at the end.
	s := &server{cmd: exec.Command(filepath.Join(bin, "postgres"), args...)} //nolint:noctx // see above
	s.cmd.Dir, s.cmd.SysProcAttr = home, attr
	log, err := os.Create(filepath.Join(dir, "postgresql.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the server has its own handle
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.url = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", port)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if err = s.exec(ctx, "SELECT 1"); err == nil {
			return s, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return nil, errors.Join(err, s.stop())
}

// binaries is the newest installed server's folder.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("there is no initdb on PATH or in /usr/lib/postgresql; install PostgreSQL or set -database")
	}
	return filepath.Dir(slices.Max(found)), nil
}

func (s *server) stop() error {
	if s.cmd == nil {
		return nil
	}
	return errors.Join(s.cmd.Process.Signal(syscall.SIGINT), s.cmd.Wait())
}

func (s *server) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // it has done its work
	_, err = conn.Exec(ctx, statement)
	return err
}

// database makes an empty one. drop removes it.
func (s *server) database(ctx context.Context, name string) (dsn string, drop func() error, err error) {
	name = fmt.Sprintf("idemgen_bench_%d_%s", os.Getpid(), name)
	if err := s.exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, err
	}
	u, err := url.Parse(s.url)
	if err != nil {
		return "", nil, err
	}
	u.Path = "/" + name
	drop = func() error {
		return s.exec(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)")
	}
	return u.String(), drop, nil
}
