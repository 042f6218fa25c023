// Verifies a serving certificate as crypto/tls does for the API server's webhook client: the first argument is a file of
// what is trusted, the second one of what is served, the rest are the names and addresses that are called.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
)

func main() {
	if err := verify(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func verify(trustedFile, servedFile string, names []string) error {
	trusted, err := os.ReadFile(trustedFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(trusted) {
		return fmt.Errorf("no certificate in %s", trustedFile)
	}
	served, err := os.ReadFile(servedFile)
	if err != nil {
		return err
	}
	certificates, key := split(served)
	pair, err := tls.X509KeyPair(certificates, key)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func split(text []byte) (certificates, key []byte) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			certificates = append(certificates, pem.EncodeToMemory(block)...)
		} else {
			key = append(key, pem.EncodeToMemory(block)...)
		}
	}
	return certificates, key
}
