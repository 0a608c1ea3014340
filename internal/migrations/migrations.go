// Package migrations looks at a folder of goose migrations: whether the
// record's migration is there, and which number the next one takes.
package migrations

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// File is one SQL migration.
type File struct {
	Name    string
	Version int64
	Digits  int // of the version, as written
	Content []byte
}

var fileName = regexp.MustCompile(`^(\d+)_.*\.sql$`)

// Read lists the SQL migrations of a folder in the order in which sqlc reads
// them. A folder that doesn't exist holds none.
func Read(dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []File
	for _, entry := range entries {
		m := fileName.FindStringSubmatch(entry.Name())
		if m == nil || entry.IsDir() {
			continue
		}
		version, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			continue // goose doesn't take it for a migration either
		}
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, File{entry.Name(), version, len(m[1]), content})
	}
	return files, nil
}

// Marked returns the migration whose first line begins with mark.
func Marked(files []File, mark string) (File, bool) {
	i := slices.IndexFunc(files, func(f File) bool { return bytes.HasPrefix(f.Content, []byte(mark)) })
	if i < 0 {
		return File{}, false
	}
	return files[i], true
}

// LastMarked returns what follows mark in the first line of the migration with
// the highest version that begins with it.
func LastMarked(files []File, mark string) string {
	var version int64
	var rest string
	for _, f := range files {
		line, _, _ := strings.Cut(string(f.Content), "\n")
		if after, ok := strings.CutPrefix(line, mark); ok && f.Version >= version {
			version, rest = f.Version, strings.TrimSpace(after)
		}
	}
	return rest
}

// With adds an empty migration to files, such as one that will be written.
func With(files []File, name string) []File {
	m := fileName.FindStringSubmatch(name)
	version, _ := strconv.ParseInt(m[1], 10, 64) // Next made it
	return append(slices.Clip(files), File{Name: name, Version: version, Digits: len(m[1])})
}

// timestampDigits are those of goose's versions by time, as in 20261121093000.
const timestampDigits = 14

// Next names a new migration after the numbering that the folder has: by time,
// if its last one is, else the next number with as many digits. The first
// migration of a folder is 00001.
func Next(files []File, name string, now time.Time) string {
	if len(files) == 0 {
		return "00001_" + name + ".sql"
	}
	last := slices.MaxFunc(files, func(a, b File) int { return cmp.Compare(a.Version, b.Version) })
	if last.Digits != timestampDigits {
		return fmt.Sprintf("%0*d_%s.sql", last.Digits, last.Version+1, name)
	}
	version, err := strconv.ParseInt(now.UTC().Format("20060102150405"), 10, 64)
	if err != nil || version <= last.Version {
		version = last.Version + 1
	}
	return fmt.Sprintf("%d_%s.sql", version, name)
}

// Trap is something in a migration that goose and sqlc read differently.
type Trap struct {
	File           string
	Line, Col, Len int
	Rule, Message  string
}

// The rules of this package.
const (
	ruleDown  = "migration/down"
	ruleLine  = "migration/long-line"
	ruleOrder = "migration/order"
)

// maxLine is the longest line that sqlc reads: at a longer one it stops,
// silently, and forgets the rest of the file.
const maxLine = 64 << 10

var unspacedDown = regexp.MustCompile(`(?i)^--\s*\+goose\s+down`)

// Traps finds them.
func Traps(files []File) []Trap {
	var traps []Trap
	for i, f := range files {
		number := 0
		for line := range strings.Lines(string(f.Content)) {
			number++
			line = strings.TrimRight(line, "\r\n")
			switch {
			case len(line) >= maxLine:
				traps = append(traps, Trap{f.Name, number, 1, 0, ruleLine, "sqlc stops reading at a line of 64 KiB or more; break it up"})
			case unspacedDown.MatchString(line) && !strings.HasPrefix(strings.ToLower(line), "-- +goose down"):
				traps = append(traps, Trap{f.Name, number, 1, len(line), ruleDown, `sqlc doesn't see this as the end of the Up part and would apply what follows; write "-- +goose Down"`})
			}
		}
		if i > 0 && f.Version < files[i-1].Version {
			traps = append(traps, Trap{f.Name, 0, 0, 0, ruleOrder,
				fmt.Sprintf("sqlc reads this file after %s, goose before it; give the versions the same number of digits", files[i-1].Name)})
		}
	}
	return traps
}
