// Package netdelay is a network with latency: it forwards connections, and
// every byte arrives a while after it was sent, however many there are.
package netdelay

import (
	"errors"
	"net"
	"time"
)

// Serve forwards what comes in at the listener to address and back, with a
// delay each way, until the listener is closed.
func Serve(listener net.Listener, address string, delay time.Duration) error {
	for {
		client, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		server, err := net.Dial("tcp", address) //nolint:noctx // there is none
		if err != nil {
			_ = client.Close()
			continue
		}
		go forward(server, client, delay)
		go forward(client, server, delay)
	}
}

// packet is what was read at once.
type packet struct {
	bytes []byte
	due   time.Time
}

// forward copies until either end hangs up, and then hangs up both.
func forward(to, from net.Conn, delay time.Duration) {
	defer func() { _, _ = to.Close(), from.Close() }()
	queue := make(chan packet, 1024)
	go func() {
		defer close(queue)
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				queue <- packet{append([]byte(nil), buffer[:n]...), time.Now().Add(delay)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range queue {
		sleepUntil(p.due)
		if _, err := to.Write(p.bytes); err != nil {
			_ = from.Close()
			for range queue { // it lets the reader end
			}
			return
		}
	}
}
