package enrich

import "testing"

func TestPortable(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		`^ord-[0-9]{4,}$`: true, `^(?:a|b)\.c\d+$`: true, `[^"\]]`: true, `\x41`: true, `a{2}`: true, `[\w\-]`: true, `(a)+?`: true, `\bx`: true,
		``: false, `(?i)a`: false, `(?P<n>a)`: false, `\Aa\z`: false, `\pL`: false, `[[:alpha:]]`: false, `[]a]`: false, `[^]a]`: false,
		`a{`: false, `a}`: false, `a]`: false, `\Qa.b\E`: false, `\x{41}`: false, `\-`: false, `[\b]`: false, `a\`: false, `\_`: false, `\101`: false,
	} {
		if got := portable(pattern); got != want {
			t.Errorf("%s: %t, want %t", pattern, got, want)
		}
	}
}
