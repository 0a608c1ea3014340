// Package wiretest stands between a client and PostgreSQL, in tests: it counts
// round trips and statements at the protocol, and stops a connection at an
// exact statement, so that a process can be killed there.
package wiretest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
)

// Stop names a point between two messages to the server.
type Stop struct {
	// SQL is a part of the statement's text.
	SQL string
	// After lets the statement be executed first, and waits until the server
	// has said so. Otherwise the statement doesn't reach the server.
	After bool
	// Committed is After for a statement that is a transaction by itself: it
	// waits until the server has committed it.
	Committed bool
}

// Proxy forwards connections to PostgreSQL. Its methods are safe for
// concurrent use.
type Proxy struct {
	listener net.Listener
	server   string
	url      string

	mu         sync.Mutex
	stop       *Stop
	stopped    chan struct{} // closed when stop is reached
	trips      int
	statements []string
	conns      map[net.Conn]bool
}

// TB is the part of testing.TB that NewProxy needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// NewProxy starts a proxy for the server of databaseURL, which ends with the
// test. TLS is turned off for its clients.
func NewProxy(t TB, databaseURL string) *Proxy {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil || u.Host == "" {
		t.Fatalf("wiretest: %q is not a URL with a host: %v", databaseURL, err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("wiretest: %v", err)
	}
	p := &Proxy{listener: listener, server: u.Host, conns: map[net.Conn]bool{}}
	if u.Port() == "" {
		p.server = net.JoinHostPort(u.Hostname(), "5432")
	}
	u.Host = listener.Addr().String()
	query := u.Query()
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	p.url = u.String()
	go p.serve()
	t.Cleanup(p.close)
	return p
}

// URL is the database's, by way of the proxy.
func (p *Proxy) URL() string { return p.url }

// StopAt stops the first connection that comes to the point: from there on it
// forwards nothing. The channel is closed when it is there.
func (p *Proxy) StopAt(stop Stop) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop, p.stopped = &stop, make(chan struct{})
	return p.stopped
}

// Reset begins a new count.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trips, p.statements = 0, nil
}

// Count returns the round trips since Reset, and the statements that were
// executed. A trip is whatever the client sends before it waits.
func (p *Proxy) Count() (trips int, statements []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trips, append([]string(nil), p.statements...)
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		l := &link{proxy: p, client: client, server: server, statements: map[string]string{}, portals: map[string]string{}}
		l.progress = sync.NewCond(&l.mu)
		go l.downstream()
		go l.upstream()
	}
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.HangUp()
}

// HangUp breaks all connections; new ones are served.
func (p *Proxy) HangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
}

// reached takes the stop if this statement is its point.
func (p *Proxy) reached(sql string) (Stop, chan struct{}, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.statements = append(p.statements, sql)
	if p.stop == nil || !strings.Contains(sql, p.stop.SQL) {
		return Stop{}, nil, false
	}
	stop := *p.stop
	p.stop = nil
	return stop, p.stopped, true
}

// link is one client's connection and its own to the server.
type link struct {
	proxy              *Proxy
	client, server     net.Conn
	statements         map[string]string // SQL by the name of the prepared statement
	portals            map[string]string // SQL by the name of the portal
	mu                 sync.Mutex
	progress           *sync.Cond
	executed, answered int
	ready              int // how often the server was ready for the next
	stalled, closed    bool
	serverSpoke        bool
}

// upstream forwards the client's messages, one by one.
func (l *link) upstream() {
	defer l.hangUp()
	startup, client := true, bufio.NewReader(l.client)
	for {
		message, err := readMessage(client, startup)
		if err != nil {
			return
		}
		l.countTrip()
		var sql string
		var runs bool
		if !startup {
			sql, runs = l.statement(message)
		}
		startup = false
		if runs {
			if stop, stopped, ok := l.proxy.reached(sql); ok {
				l.stopAt(stop, message)
				close(stopped)
				_, _ = io.Copy(io.Discard, client) // until the client is gone
				return
			}
		}
		if _, err := l.server.Write(message); err != nil {
			return
		}
	}
}

// stopAt brings the server to the point, and then keeps its answers back.
func (l *link) stopAt(stop Stop, message []byte) {
	l.mu.Lock()
	l.stalled = true
	l.mu.Unlock()
	want, ready, end := l.executed, 0, byte('H') // Flush
	switch {
	case stop.Committed:
		end = 'S' // Sync
		l.mu.Lock()
		ready = l.ready + 1
		l.mu.Unlock()
		fallthrough
	case stop.After:
		_, _ = l.server.Write(message)
	default:
		want--
	}
	_, _ = l.server.Write([]byte{end, 0, 0, 0, 4})
	l.mu.Lock()
	defer l.mu.Unlock()
	for (l.answered < want || l.ready < ready) && !l.closed {
		l.progress.Wait()
	}
}

// downstream forwards the server's messages.
func (l *link) downstream() {
	defer l.hangUp()
	server := bufio.NewReader(l.server)
	for {
		message, err := readMessage(server, false)
		if err != nil {
			return
		}
		l.mu.Lock()
		switch message[0] {
		case 'C', 'E', 'I', 's': // a statement is done, or failed
			l.answered++
			l.progress.Broadcast()
		case 'Z': // ready for the next query
			l.ready++
			l.progress.Broadcast()
		}
		l.serverSpoke = true
		stalled := l.stalled
		l.mu.Unlock()
		if stalled {
			continue
		}
		if _, err := l.client.Write(message); err != nil {
			return
		}
	}
}

func (l *link) hangUp() {
	_, _ = l.client.Close(), l.server.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.progress.Broadcast()
}

// countTrip counts one if the server has spoken since the client did.
func (l *link) countTrip() {
	l.mu.Lock()
	spoke := l.serverSpoke
	l.serverSpoke = false
	l.mu.Unlock()
	if spoke {
		l.proxy.mu.Lock()
		l.proxy.trips++
		l.proxy.mu.Unlock()
	}
}

// statement returns the SQL that a message executes, if it does.
func (l *link) statement(message []byte) (sql string, runs bool) {
	body := message[5:]
	switch message[0] {
	case 'P': // Parse: statement, SQL
		name, rest := cutString(body)
		l.statements[name], _ = cutString(rest)
	case 'B': // Bind: portal, statement
		portal, rest := cutString(body)
		name, _ := cutString(rest)
		l.portals[portal] = l.statements[name]
	case 'E': // Execute: portal
		portal, _ := cutString(body)
		l.executed++
		return l.portals[portal], true
	case 'Q': // Query: SQL
		l.executed++
		sql, _ := cutString(body)
		return sql, true
	}
	return "", false
}

func cutString(b []byte) (s string, rest []byte) {
	before, after, _ := strings.Cut(string(b), "\x00")
	return before, []byte(after)
}

// readMessage reads one protocol message; the first of a client has no type.
func readMessage(r io.Reader, startup bool) ([]byte, error) {
	head := make([]byte, 5)
	if startup {
		head = head[:4]
	}
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(head[len(head)-4:])
	if length < 4 || length > 64<<20 {
		return nil, errors.New("wiretest: not a PostgreSQL message")
	}
	message := make([]byte, len(head)+int(length)-4)
	copy(message, head)
	_, err := io.ReadFull(r, message[len(head):])
	return message, err
}
