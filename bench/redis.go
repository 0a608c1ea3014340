package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// redisServer is a throwaway Redis. It keeps nothing on disk, which is faster
// than one should run it where it keeps idempotency keys.
type redisServer struct {
	address, version string
	cmd              *exec.Cmd
}

// startRedis returns nil if there is no redis-server on PATH.
func startRedis(ctx context.Context, dir string) (*redisServer, error) {
	path, err := exec.LookPath("redis-server")
	if errors.Is(err, exec.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("redis-server --version: %w", err)
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	s := &redisServer{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	for field := range strings.FieldsSeq(string(version)) {
		if number, ok := strings.CutPrefix(field, "v="); ok {
			s.version = number
		}
	}
	s.cmd = exec.CommandContext(ctx, path, "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--save", "", "--appendonly", "no")
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("redis-server: %w", err)
	}
	for range 100 {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
		if err == nil {
			return s, conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("redis-server doesn't listen"), s.stop())
}

func (s *redisServer) stop() error {
	if err := s.cmd.Process.Kill(); err != nil { // it has nothing to keep
		return err
	}
	_ = s.cmd.Wait() // it says that it was killed
	return nil
}

func freePort(ctx context.Context) (int, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}
