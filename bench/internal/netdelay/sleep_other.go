//go:build !linux

package netdelay

import "time"

func sleepUntil(due time.Time) { time.Sleep(time.Until(due)) }
