package pgtest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// places are where packagers put the server's programs without putting them on PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                                   // the PostgreSQL project's RPMs
	"/opt/homebrew/opt/postgresql@*/bin",                 // Homebrew
	"/usr/local/opt/postgresql@*/bin",                    // Homebrew on Intel
	"/opt/homebrew/opt/postgresql/bin",                   // Homebrew, older
	"/usr/local/opt/postgresql/bin",                      // Homebrew on Intel, older
	"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
	"/opt/local/lib/postgresql*/bin",                     // MacPorts
	"/usr/libexec/postgresql*",                           // Alpine
	"/usr/local/pgsql/bin",                               // from source
}

// binaries returns the directory of initdb and postgres: an installed one, else a download into dir.
func binaries(ctx context.Context, dir string) (string, error) {
	if bin := installed(ctx); bin != "" {
		return bin, nil
	}
	bin, err := download(ctx, dir)
	if err == nil {
		return bin, nil
	}
	looked := "PATH, pg_config and the usual places"
	if only := os.Getenv("PGTEST_BINDIR"); only != "" {
		looked = "PGTEST_BINDIR, which is " + only
	}
	return "", fmt.Errorf(`there is no PostgreSQL to use. Do one of these:
  - set DATABASE_URL to the URL of a server whose user may create databases
  - install PostgreSQL's server, for example with "apt-get install postgresql" or "brew install postgresql"
    (looked for initdb and postgres in %s)
  - allow the download of one (tried: %w)`, looked, err)
}

// installed returns "" if there is none.
func installed(ctx context.Context) string {
	if only := os.Getenv("PGTEST_BINDIR"); only != "" {
		return firstComplete([]string{only})
	}
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	if path, err := exec.LookPath("pg_config"); err == nil {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if out, err := exec.CommandContext(ctx, path, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	for _, pattern := range places {
		matches, _ := filepath.Glob(pattern)
		slices.SortFunc(matches, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
		dirs = append(dirs, matches...)
	}
	return firstComplete(dirs)
}

func firstComplete(dirs []string) string {
	for _, dir := range dirs {
		_, err1 := exec.LookPath(filepath.Join(dir, "initdb"))
		_, err2 := exec.LookPath(filepath.Join(dir, "postgres"))
		if filepath.IsAbs(dir) && err1 == nil && err2 == nil {
			return dir
		}
	}
	return ""
}

var number = regexp.MustCompile(`\d+(\.\d+)?`)

// version is the first number in a path: 9.6 comes before 10, which the order of strings would not know.
func version(dir string) float64 {
	v, _ := strconv.ParseFloat(number.FindString(dir), 64)
	return v
}
