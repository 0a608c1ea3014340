package diag

import "fmt"

// DidYouMean returns `; did you mean "x"?` for the choice nearest to word, and
// "" when none is near enough to be a typo.
func DidYouMean(word string, choices []string) string {
	best, bestDistance := "", len(word)/3+2
	if len(word) > 64 { // not a typo of anything, and distance is quadratic
		return ""
	}
	for _, c := range choices {
		if d := distance(word, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours each count one.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}
