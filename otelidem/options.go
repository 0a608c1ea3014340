package otelidem

import (
	idem "github.com/idemgen/idemgen/runtime"
	"go.opentelemetry.io/otel/attribute"
)

// Option changes what New returns.
type Option func(*Observer)

// WithAttributes adds attributes to every measurement, such as the name of the
// database where a process has several. Defaults to none.
func WithAttributes(attributes ...attribute.KeyValue) Option {
	return func(o *Observer) { o.common = append(o.common, attributes...) }
}

// WithNext names the observer that is told of every event too; nil is none.
// Defaults to idem.LogObserver{}, so that failures are logged as they are
// without metrics.
func WithNext(next idem.Observer) Option {
	return func(o *Observer) { o.next = next }
}
