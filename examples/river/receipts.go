package main

import (
	"context"

	"github.com/riverqueue/river"
)

// ReceiptArgs is the job of mailing the receipt of an order.
type ReceiptArgs struct {
	OrderID int64  `json:"order_id"`
	Email   string `json:"email"`
}

// Kind is the job's name in the database.
func (ReceiptArgs) Kind() string { return "receipt" }

// receiptWorker works on the jobs, after their orders have committed.
type receiptWorker struct {
	river.WorkerDefaults[ReceiptArgs]
	mail mailer
}

// mailer sends a receipt. The id is the same at each try: a mail service that
// takes idempotency keys gets it as one.
type mailer func(ctx context.Context, id int64, receipt ReceiptArgs) error

// Work may run more than once for one job: the process may die after the mail
// has left, and before River has noted it. The queue is exactly once, what
// happens outside of the database never is.
func (w *receiptWorker) Work(ctx context.Context, job *river.Job[ReceiptArgs]) error {
	return w.mail(ctx, job.ID, job.Args)
}
