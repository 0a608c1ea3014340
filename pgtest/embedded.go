package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// download gets binaries into dir and returns where they are. The library would also run them, but not as another user
// than ourselves, which as root we need; and not so that they end with us. So it is given a data directory that looks
// initialised and isn't: Start downloads, unpacks, and fails to start.
func download(ctx context.Context, dir string) (string, error) {
	repository := os.Getenv("PGTEST_REPOSITORY_URL")
	if repository == "off" {
		return "", errors.New("PGTEST_REPOSITORY_URL is off")
	}
	// The library leaves a log in the temporary directory.
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return "", err
	}
	release := embeddedpostgres.V18
	fake := filepath.Join(dir, "uninitialised")
	if err := os.Mkdir(fake, 0o700); err != nil {
		return "", err
	}
	major, _, _ := strings.Cut(string(release), ".")
	if err := os.WriteFile(filepath.Join(fake, "PG_VERSION"), []byte(major+"\n"), 0o600); err != nil {
		return "", err
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	target := filepath.Join(dir, "embedded")
	cfg := embeddedpostgres.DefaultConfig().Version(release).Port(uint32(port)).Logger(io.Discard).
		RuntimePath(target).DataPath(fake).CachePath(cache(dir))
	if repository != "" {
		cfg = cfg.BinaryRepositoryURL(strings.TrimSuffix(repository, "/"))
	}

	failed := make(chan error, 1)
	go func() { failed <- embeddedpostgres.NewDatabase(cfg).Start() }()
	select {
	case <-ctx.Done(): // Nobody waits any more. The library can't be told; it ends with this process.
		return "", context.Cause(ctx)
	case err = <-failed:
	}
	bin := filepath.Join(target, "bin")
	if firstComplete([]string{bin}) == "" {
		return "", fmt.Errorf("embedded-postgres: %w", err)
	}
	return bin, nil
}

// cache is where the archive is kept for the next time: the user's cache directory, or dir if that can't be written to.
func cache(dir string) string {
	if home, err := os.UserCacheDir(); err == nil {
		path := filepath.Join(home, "embedded-postgres")
		if os.MkdirAll(path, 0o755) == nil {
			return path
		}
	}
	return filepath.Join(dir, "cache")
}
