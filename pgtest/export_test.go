package pgtest

import "time"

// SupervisorPID is for tests that kill it.
func SupervisorPID() int { return shared.client.supervisor }

// SetGrace is for tests that don't have the time; call it before anything else.
func SetGrace(d time.Duration) { grace = d }
