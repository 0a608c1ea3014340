package contract_test

import (
	"testing"
	"time"

	"github.com/idemgen/idemgen/internal/contract"
)

func TestDurationLeavesOutZeroUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 90 * time.Minute: "1h30m", 10 * time.Minute: "10m", 2 * time.Second: "2s",
		61 * time.Second: "1m1s", 3601 * time.Second: "1h0m1s", 100 * time.Millisecond: "100ms",
	} {
		if got := contract.Duration(d); got != want {
			t.Errorf("%v is written %q, want %q", d, got, want)
		}
	}
}
