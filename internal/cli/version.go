package cli

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// libraries are those whose version decides what is generated.
var libraries = []string{
	"github.com/oapi-codegen/oapi-codegen/v2",
	"github.com/sqlc-dev/sqlc",
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of idemgen and of the generators inside it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return fmt.Errorf("this binary was built without build information")
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "idemgen %s (%s)\n", info.Main.Version, info.GoVersion)
			for _, name := range libraries {
				for _, dep := range info.Deps {
					if dep.Path == name && err == nil {
						_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s\n", dep.Path, dep.Version)
					}
				}
			}
			return err
		},
	}
}
