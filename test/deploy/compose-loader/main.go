// Loads a composition as Docker Compose does, by the library that it is made with.
package main

import (
	"context"
	"log"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	files, variables := os.Args[1:2], os.Args[2:]
	options, err := cli.NewProjectOptions(files, cli.WithEnv(variables))
	if err != nil {
		log.Fatal(err)
	}
	if _, err = options.LoadProject(context.Background()); err != nil {
		log.Fatal(err)
	}
}
