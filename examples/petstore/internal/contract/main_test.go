package contract

import (
	"testing"

	"github.com/idemgen/idemgen/examples/petstore/internal/shoptest"
)

func TestMain(m *testing.M) { shoptest.Main(m) }
