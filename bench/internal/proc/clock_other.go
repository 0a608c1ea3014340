//go:build !linux

package proc

import (
	"errors"
	"time"
)

func clock(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
