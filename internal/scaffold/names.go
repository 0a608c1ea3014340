package scaffold

import (
	"fmt"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// names are what the service is called, here and there.
type names struct {
	Module   string // the module's path
	Service  string // the command, such as ticket-shop
	Package  string // the package at the root, such as ticketshop
	Database string // such as ticket_shop
}

// newNames derives all names from the module's path.
func newNames(modulePath string) (names, error) {
	if err := module.CheckPath(modulePath); err != nil {
		return names{}, fmt.Errorf("--module: %w; write one such as example.com/shop", err)
	}
	prefix, _, _ := module.SplitPathVersion(modulePath) // CheckPath has
	service := slug(path.Base(prefix))
	if service == "" || slices.Contains([]string{"internal", "vendor", "testdata"}, service) {
		service = strings.TrimPrefix(service+"-service", "-")
	}
	pkg := strings.ReplaceAll(service, "-", "")
	if !token.IsIdentifier(pkg) || pkg == "main" { // a keyword is none
		pkg = "service" + pkg
	}
	return names{
		Module:   modulePath,
		Service:  service,
		Package:  pkg,
		Database: strings.ReplaceAll(service, "-", "_"),
	}, nil
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// maxSlug keeps the names of files and databases in bounds.
const maxSlug = 50

// slug keeps lower-case letters and digits, with single hyphens in between. The
// go command heeds suffixes such as _test and _linux: a slug has none.
func slug(name string) string {
	s := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if len(s) > maxSlug {
		s = strings.Trim(s[:maxSlug], "-")
	}
	return s
}
