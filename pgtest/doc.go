// Package pgtest gives tests and programs a PostgreSQL wherever they run.
//
// [Database] is all that a test needs: a fresh database of its own, dropped at the test's end. [Start] is for programs: a
// server that lives as long as they do.
//
// The server comes from the first of these that there is:
//
//  1. DATABASE_URL, a URL of a server (13 or newer) whose user may create databases. Only databases that this package
//     made are ever dropped, and none is altered.
//  2. initdb and postgres, on PATH, where pg_config points, or where packagers put them, run as a throwaway cluster.
//  3. A download by github.com/fergusstrange/embedded-postgres, which keeps its archive in the user's cache directory.
//
// A throwaway cluster is shared by all test binaries of one `go test` and disappears, files and processes, once that
// command and all of the binaries have ended, however they ended. It is made for speed: it doesn't survive a power cut.
// It listens on 127.0.0.1 and trusts whoever connects, so every user of the machine is its superuser while it runs; where that
// matters, set DATABASE_URL.
//
// Its files are in the temporary directory, about 40 MB and 8 MB for each database; with TMPDIR in memory it is fastest.
//
// Two more variables steer the choice: PGTEST_BINDIR is the one directory to look for initdb and postgres in;
// PGTEST_REPOSITORY_URL is a Maven repository to download from, or "off" to never download.
package pgtest
