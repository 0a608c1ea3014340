//go:build cgo

package output_test

// everyStep is how many steps lie between two moments at which the real command
// is killed.
const everyStep = 1
