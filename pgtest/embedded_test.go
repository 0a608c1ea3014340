package pgtest_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/idemgen/idemgen/pgtest"
)

// The archive served holds links to the programs that this machine's clusters run from; all else is as in a real download.
func TestDownload(t *testing.T) {
	t.Parallel()
	jar := archive(t, serverBinaries(t))
	var downloads atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Ext(r.URL.Path) {
		case ".jar":
			downloads.Add(1)
			_, _ = w.Write(jar)
		case ".sha256":
			sum := sha256.Sum256(jar)
			_, _ = w.Write([]byte(hex.EncodeToString(sum[:])))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()

	dir, home := shortDir(t), t.TempDir()
	for range 2 { // The second time from the user's cache.
		c := startChild(t, "server", "PGTEST_BINDIR="+t.TempDir(), "PGTEST_REPOSITORY_URL="+server.URL+"/",
			"HOME="+home, "XDG_CACHE_HOME=", "TMPDIR="+dir)
		c.finish(t)
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if n := downloads.Load(); n != 1 {
		t.Errorf("%d downloads, want 1", n)
	}
}

// serverBinaries returns the directory of the programs that a cluster here runs from.
func serverBinaries(t *testing.T) string {
	t.Helper()
	dsn := pgtest.Database(t)
	name := query[string](t, open(t, dsn), "SELECT setting FROM pg_config() WHERE name = 'BINDIR'")
	dir, err := filepath.EvalSymlinks(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, program)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func archive(t *testing.T, bin string) []byte {
	t.Helper()
	var tarball, jar bytes.Buffer
	tw := tar.NewWriter(&tarball)
	for _, program := range []string{"initdb", "postgres", "pg_ctl"} {
		err := tw.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: "bin/" + program, Linkname: filepath.Join(bin, program), Mode: 0o777})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	zw := zip.NewWriter(&jar)
	w, err := zw.Create("postgres-" + strings.ToLower(t.Name()) + ".txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(xz(tarball.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return jar.Bytes()
}

// xz wraps at most 64 KiB, uncompressed, in the xz format (the .xz file format, version 1.2.0).
func xz(content []byte) []byte {
	u32 := binary.LittleEndian.AppendUint32
	sum := func(b []byte) []byte { return u32(b, crc32.ChecksumIEEE(b)) }
	pad := func(b []byte) []byte { return append(b, make([]byte, (4-len(b)%4)%4)...) }

	flags := []byte{0, 1} // Check: CRC32.
	header := append([]byte("\xFD7zXZ\x00"), sum(flags[:2:2])...)
	// One filter, LZMA2 with an 8 MiB dictionary; the first byte counts the header's 32-bit words.
	block := sum([]byte{2, 0, 0x21, 1, 22, 0, 0, 0})
	size := len(content) - 1
	data := append([]byte{1, byte(size >> 8), byte(size)}, content...) // An uncompressed chunk.
	data = append(data, 0)
	unpadded := len(block) + len(data) + 4
	block = append(block, pad(data)...)
	block = u32(block, crc32.ChecksumIEEE(content))

	index := binary.AppendUvarint([]byte{0, 1}, uint64(unpadded))
	index = sum(pad(binary.AppendUvarint(index, uint64(len(content)))))

	footer := append(u32(nil, uint32(len(index)/4-1)), flags...)
	footer = append(u32(nil, crc32.ChecksumIEEE(footer)), footer...)
	footer = append(footer, 'Y', 'Z')
	return append(append(append(header, block...), index...), footer...)
}
