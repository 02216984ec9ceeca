// A registry that keeps referrers (OCI 1.1): go-containerregistry's own, in memory. It prints its port and serves until it is killed.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	quiet := registry.Logger(log.New(io.Discard, "", 0))
	log.Fatal(http.Serve(l, registry.New(registry.WithReferrersSupport(true), quiet)))
}
