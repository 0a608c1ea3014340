package contract

import ("testing";"time";"github.com/idemgen/idemgen/examples/petstore/internal/shoptest";"math/rand/v2")

func TestZZStress(t *testing.T) {
	w := newWorld(t, migrated(t))
	end := time.Now().Add(60*time.Second)
	at := partition{shoptest.Acme, createsPet, "a"}
	for time.Now().Before(end) {
		var p plan
		for c := 0; c < 6; c++ {
			var ss []step
			for i := 0; i < 12; i++ {
				s := step{kind: request, at: at, fault: succeeds}
				if rand.N(4) == 0 { s.kind = expire }
				ss = append(ss, s)
			}
			p = append(p, ss)
		}
		if err := w.check(p); err != nil { t.Fatal(w.plans, err) }
	}
	t.Log(w.plans)
}
