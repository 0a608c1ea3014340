package otelidem_test

import (
	"fmt"

	idem "github.com/idemgen/idemgen/runtime"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/idemgen/idemgen/otelidem"
)

func Example() {
	provider := sdk.NewMeterProvider() // with the exporter of your choice
	observer, err := otelidem.New(provider.Meter("example.com/shop"))
	if err != nil {
		fmt.Println(err)
		return
	}
	config := idem.Config{Observer: observer} // for api.NewHandler
	fmt.Println(config.Observer == observer)
	// Output: true
}
