package generate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/internal/generate"
	"github.com/idemgen/idemgen/internal/oapi"
	"github.com/idemgen/idemgen/internal/render"
	"github.com/idemgen/idemgen/internal/spec"
	"github.com/idemgen/idemgen/internal/sqlc"
)

// BenchmarkPetstore compares a whole run with its tools by themselves, one
// after the other: oapi-codegen, sqlc for the records, sqlc for the service.
func BenchmarkPetstore(b *testing.B) {
	dir := filepath.Dir(petstore)
	b.Run("idemgen", func(b *testing.B) {
		for b.Loop() {
			if _, diags, err := generate.Run(b.Context(), petstore); err != nil || !diags.Empty() {
				b.Fatal(err, diags.All())
			}
		}
	})
	b.Run("tools", func(b *testing.B) {
		doc, diags := spec.Load(filepath.Join(dir, "openapi.yaml"), "openapi.yaml")
		if !diags.Empty() {
			b.Fatal(diags.All())
		}
		for b.Loop() {
			document, err := doc.OpenAPI()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := oapi.Generate(document, "api", oapi.Options{}); err != nil {
				b.Fatal(err)
			}
			runSQLC(b, recordsJob(b))
			runSQLC(b, serviceJob(b, dir))
		}
	})
}

func runSQLC(b *testing.B, job sqlc.Job) {
	b.Helper()
	if _, diags, err := sqlc.Generate(context.WithoutCancel(b.Context()), job); err != nil || !diags.Empty() {
		b.Fatal(err, diags.All())
	}
}

func recordsJob(b *testing.B) sqlc.Job {
	b.Helper()
	config, err := os.ReadFile("../../sql/sqlc.yaml")
	if err != nil {
		b.Fatal(err)
	}
	return sqlc.Job{Config: "sqlc.yaml", Display: func(p string) string { return p }, Files: map[string][]byte{
		"sqlc.yaml":                        config,
		"migrations/00001_idempotency.sql": render.Migration("idempotency_records"),
		"queries/idempotency.sql":          render.Queries("idempotency_records"),
	}}
}

func serviceJob(b *testing.B, dir string) sqlc.Job {
	b.Helper()
	same := func(p string) string { return p }
	files, diags, err := sqlc.ServiceFiles(dir, "sqlc.yaml", same)
	if err != nil || !diags.Empty() {
		b.Fatal(err, diags.All())
	}
	return sqlc.Job{Config: "sqlc.yaml", Files: files, Display: same}
}
