package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

func (r *run) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.out, format, args...) // a report that can't be written shows
}

// machine writes what the numbers depend on.
func (r *run) machine(ctx context.Context, args []string) error {
	conn, err := pgx.Connect(ctx, r.server.url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var version, fsync, commit, buffers string
	if err := conn.QueryRow(ctx, "SELECT current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit'), current_setting('shared_buffers')").
		Scan(&version, &fsync, &commit, &buffers); err != nil {
		return err
	}
	r.printf("`go run . %s` on %s, %s: %d CPUs (%s), load %s before,\n", strings.Join(args, " "), time.Now().Format(time.DateOnly), runtime.Version(), runtime.NumCPU(), cpu(), load())
	r.printf("PostgreSQL %s on the same machine, fsync=%s synchronous_commit=%s shared_buffers=%s, else as it comes.\n\n", version, fsync, commit, buffers)
	return nil
}

func cpu() string {
	content, _ := os.ReadFile("/proc/cpuinfo") // there is none elsewhere
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func load() string {
	content, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(content), " ")
	return first
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }
