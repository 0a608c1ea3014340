package migrations_test

import (
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/migrations"
)

func TestNextFollowsTheFolder(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.FixedZone("", 3600))
	seq := func(name string, version int64, digits int) migrations.File {
		return migrations.File{Name: name, Version: version, Digits: digits}
	}
	for want, files := range map[string][]migrations.File{
		"00001_x.sql":          nil,
		"00008_x.sql":          {seq("00007_a.sql", 7, 5)},
		"100_x.sql":            {seq("098_a.sql", 98, 3), seq("099_b.sql", 99, 3)},
		"20261121083000_x.sql": {seq("20250101000000_a.sql", 20250101000000, 14)},
		// The clock is behind the folder: the order is what counts.
		"20991231235960_x.sql": {seq("20991231235959_a.sql", 20991231235959, 14)},
	} {
		if got := migrations.Next(files, "x", now); got != want {
			t.Errorf("after %v: %s, want %s", files, got, want)
		}
	}
}
