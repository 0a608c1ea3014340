// Package gate stands between a server and what it keeps its data in. It can
// keep back one answer: then what was asked is done, and the server, which
// doesn't know, can be killed.
package gate

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// Gate forwards connections. Its methods are safe for concurrent use.
type Gate struct {
	mu        sync.Mutex
	listeners []net.Listener
	conns     map[net.Conn]bool
	trips     int // since Arm
	stopAt    int // the trip whose answer is kept back; 0 for none
	reached   chan struct{}
}

// New returns a gate that is open.
func New() *Gate { return &Gate{conns: map[net.Conn]bool{}} }

// Before returns an address by way of which address is reached.
func (g *Gate) Before(address string) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it has none
	if err != nil {
		return "", err
	}
	g.mu.Lock()
	g.listeners = append(g.listeners, listener)
	g.mu.Unlock()
	go g.serve(listener, address)
	return listener.Addr().String(), nil
}

// Arm keeps back the answer of the n-th round trip from now on, whichever
// connection it is on. The channel is closed when the answer has come.
func (g *Gate) Arm(n int) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.trips, g.stopAt, g.reached = 0, n, make(chan struct{})
	return g.reached
}

// Close ends all connections.
func (g *Gate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, listener := range g.listeners {
		_ = listener.Close()
	}
	for conn := range g.conns {
		_ = conn.Close()
	}
}

func (g *Gate) serve(listener net.Listener, address string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", address) //nolint:noctx // it has none
		if err != nil {
			_ = client.Close()
			continue
		}
		g.mu.Lock()
		g.conns[client], g.conns[server] = true, true
		g.mu.Unlock()
		l := &link{gate: g, client: client, server: server}
		go l.ask()
		go l.answer()
	}
}

// link is one connection.
type link struct {
	gate           *Gate
	client, server net.Conn
	// Guarded by the gate's mutex.
	asked bool // the server hasn't answered yet
	held  bool
}

func (l *link) hangUp() { _, _ = l.client.Close(), l.server.Close() }

func (l *link) ask() {
	defer l.hangUp()
	_, _ = io.Copy(asking{l}, l.client) // until one of them is gone
}

// asking counts trips on the way to the server.
type asking struct{ *link }

func (l asking) Write(b []byte) (int, error) {
	l.gate.mu.Lock()
	if !l.asked {
		l.asked = true
		l.gate.trips++
		l.held = l.gate.trips == l.gate.stopAt
	}
	l.gate.mu.Unlock()
	return l.server.Write(b)
}

// quiet is how long an answer has to be over.
const quiet = 20 * time.Millisecond

func (l *link) answer() {
	defer l.hangUp()
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.server.Read(buffer)
		if err != nil {
			return
		}
		l.gate.mu.Lock()
		l.asked = false
		held, reached := l.held, l.gate.reached
		l.gate.mu.Unlock()
		if held {
			l.swallow(buffer)
			close(reached)
			_, _ = io.Copy(io.Discard, l.server) // until the client is gone
			return
		}
		if _, err := l.client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// swallow reads to the end of the answer.
func (l *link) swallow(buffer []byte) {
	for {
		_ = l.server.SetReadDeadline(time.Now().Add(quiet))
		if _, err := l.server.Read(buffer); err != nil {
			var timeout net.Error
			if errors.As(err, &timeout) && timeout.Timeout() {
				_ = l.server.SetReadDeadline(time.Time{})
			}
			return
		}
	}
}
