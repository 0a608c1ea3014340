package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A step that takes longer than progressAfter says that it is at work.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// step shows what is being done, on a terminal, if it takes long. The function
// that it returns ends that and clears the line; it may be called twice.
func (t *talk) step(what string) (done func()) {
	if !t.progress {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		showStep(t.err, what, stop)
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-stopped
	})
}

func showStep(w io.Writer, what string, stop <-chan struct{}) {
	begun := time.Now()
	select {
	case <-stop:
		return
	case <-time.After(progressAfter):
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		// The line is redrawn whole; what can't be written can't be shown.
		_, _ = fmt.Fprintf(w, "\r\x1b[K%s ... %.1fs", what, time.Since(begun).Seconds())
		select {
		case <-stop:
			_, _ = fmt.Fprint(w, "\r\x1b[K")
			return
		case <-tick.C:
		}
	}
}
