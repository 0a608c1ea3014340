package answers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/answers"
	"github.com/idemgen/idemgen/internal/lock"
)

// Schemas that all refer to each other have more paths than can be walked.
func TestCompareManyPaths(t *testing.T) {
	const count = 200
	schemas := func(leaf string) map[string]lock.Schema {
		named := map[string]lock.Schema{}
		for i := range count {
			s := lock.Schema{"": "object", "/leaf": leaf}
			for j := range 3 {
				s[fmt.Sprintf("/r%d", j)] = fmt.Sprintf("ref S%d", (i*31+j*17+1)%count)
			}
			named[fmt.Sprintf("S%d", i)] = s
		}
		return named
	}
	start := time.Now()
	c := answers.NewComparison(schemas("string"), schemas("integer"))
	for i := range count {
		answer := lock.Schema{"": fmt.Sprintf("ref S%d", i)}
		if problems := c.Compare(answer, answer); len(problems) == 0 || len(problems) > 10 {
			t.Fatalf("%d problems", len(problems))
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}
