package cli

import (
	"bytes"
	"regexp"
	"testing"
	"testing/synctest"
	"time"
)

func TestStep(t *testing.T) {
	for name, c := range map[string]struct {
		talk talk
		took time.Duration
		want string
	}{
		"quick":         {talk{progress: true}, progressAfter - time.Millisecond, `^$`},
		"slow":          {talk{progress: true}, 1150 * time.Millisecond, `^\r\x1b\[Kgenerating \.\.\. 1\.0s\r\x1b\[Kgenerating \.\.\. 1\.1s\r\x1b\[K$`},
		"not displayed": {talk{}, time.Minute, `^$`},
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			c.talk.err = &b
			done := c.talk.step("generating")
			time.Sleep(c.took)
			done()
			done()
			if !regexp.MustCompile(c.want).MatchString(b.String()) {
				t.Errorf("%s: %q", name, b.String())
			}
		})
	}
}
