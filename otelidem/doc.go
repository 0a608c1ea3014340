// Package otelidem counts and times with OpenTelemetry what the idemgen runtime
// does:
//
//	observer, err := otelidem.New(otel.Meter("example.com/shop"))
//	...
//	handler, err := api.NewHandler(pool, handlers, idem.Config{Observer: observer})
//	cleaner := idem.NewCleaner(pool, idemdb.NewStore(), idem.CleanerConfig{Observer: observer})
//
// Failures go on being logged; see WithNext.
//
// # Metrics
//
// Of requests to idempotent operations, and of messages:
//
//	idemgen.requests            {request}  counter    requests and messages that have ended
//	idemgen.request.duration    s          histogram  how long they took, waiting included
//	idemgen.reruns              {rerun}    counter    handlers run again after a serialization failure or deadlock
//	idemgen.commit.lookups      {lookup}   counter    records looked up since the commit's answer was lost
//
// Of the Cleaner:
//
//	idemgen.cleanup.duration        s         histogram  how long its passes took
//	idemgen.cleanup.deleted         {record}  counter    expired records that it has deleted
//	idemgen.records.expired         {record}  gauge      expired records that its last pass has left
//	idemgen.records.oldest_expired  s         gauge      how long ago the oldest of those expired
//
// The gauges are about the database, not the process: of several replicas, look
// at the one that has cleaned last, or at the largest value. The Cleaner stops
// counting at some number; the age goes on growing if it can't keep up. A pass
// that failed sets neither.
//
// # Attributes
//
//	idemgen.operation          the operation's name, or the message's consumer
//	idemgen.outcome            executed, replayed, in_flight, mismatch, refused or failed; of a cleanup: completed or failed
//	idemgen.stored             of executed requests: whether the answer was stored; of look-ups: whether the record was there
//	http.response.status_code  the status that was answered, if there is one; not of the duration
//
// All of them come from the service's own code, never from its clients: names of
// operations, outcomes and statuses are few, and neither keys nor principals nor
// errors are among them.
package otelidem
