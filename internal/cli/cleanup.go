package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/internal/cleanup"
	"github.com/idemgen/idemgen/internal/config"
)

// closeTimeout bounds the goodbye to the server.
const closeTimeout = 5 * time.Second

type cleanupFlags struct {
	database, config, table string
	batchSize               int
	timeout                 time.Duration
}

func cleanupCommand() *cobra.Command {
	var flags cleanupFlags
	cmd := &cobra.Command{
		Use:   "cleanup",
		Short: "Delete expired idempotency records, once",
		Long: `cleanup deletes the records that have expired, in batches, and says what it did
and what is left. It is for cron; a service that runs a Cleaner doesn't need it.
Any number may run at once.

It exits with 1 if the pass didn't come to its end, and with 2 if it couldn't
begin: wrong usage, or no connection.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCleanup(cmd, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.database, "database", "", "the database's `URL` (default: the environment's DATABASE_URL, which ps doesn't show)")
	f.StringVarP(&flags.config, "config", "c", "idemgen.yaml", "the configuration `file`, which names the table; the default may be missing")
	f.StringVar(&flags.table, "table", config.DefaultTable, "the table's `name`, instead of the configuration's")
	f.IntVar(&flags.batchSize, "batch-size", 1000, "how many records one statement deletes at most")
	f.DurationVar(&flags.timeout, "timeout", 5*time.Minute, "how long all of it may take")
	return cmd
}

func runCleanup(cmd *cobra.Command, flags cleanupFlags) error {
	table, err := cleanupTable(cmd, flags)
	if err != nil {
		return err
	}
	url := flags.database
	if url == "" {
		url = os.Getenv("DATABASE_URL")
	}
	switch {
	case url == "":
		return errors.New("which database? set DATABASE_URL, or --database")
	case flags.batchSize < 1 || flags.batchSize > 1_000_000:
		return fmt.Errorf("--batch-size %d is not between 1 and 1000000", flags.batchSize)
	case flags.timeout <= 0:
		return fmt.Errorf("--timeout %s is no time", flags.timeout)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), flags.timeout)
	defer cancel()
	conn, err := cleanup.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		_ = conn.Close(ctx) // the work is done, or has failed for a reason that is reported
	}()

	result, err := cleanup.Pass(ctx, conn, cleanup.Options{Table: table, BatchSize: flags.batchSize})
	if printErr := printCleanup(cmd.OutOrStdout(), table, result, err == nil); printErr != nil {
		return printErr
	}
	if err != nil {
		_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "idemgen: %s\n", err)
		return errReported
	}
	return nil
}

// cleanupTable is --table, or else the configuration's, or else the default.
func cleanupTable(cmd *cobra.Command, flags cleanupFlags) (string, error) {
	if cmd.Flags().Changed("table") {
		if problem := config.TableProblem(flags.table); problem != "" {
			return "", fmt.Errorf("--table: %s", problem)
		}
		return flags.table, nil
	}
	if _, err := os.Stat(flags.config); errors.Is(err, fs.ErrNotExist) && !cmd.Flags().Changed("config") {
		return flags.table, nil
	}
	cfg, diags := config.Load(flags.config)
	if !diags.Empty() {
		t := newTalk(cmd)
		t.style.ReadOnly = true
		if err := t.diagnostics(diags); err != nil {
			return "", err
		}
		return "", errors.New("the configuration is wrong; --table does without")
	}
	return cfg.Store.Table, nil
}

// printCleanup says what was done, and what is left if that is known.
func printCleanup(w io.Writer, table string, r cleanup.Result, counted bool) error {
	left := ""
	switch {
	case !counted:
	case r.Left == 0:
		left = "; no expired ones are left"
	default:
		atLeast := ""
		if r.Left == cleanup.MaxLeft {
			atLeast = "at least "
		}
		left = fmt.Sprintf("; %s%d expired ones are left, the oldest since %s", atLeast, r.Left, r.Oldest.Round(time.Second))
	}
	_, err := fmt.Fprintf(w, "%s: %d records deleted in %s%s\n", table, r.Deleted, r.Duration.Round(time.Millisecond), left)
	return err
}
