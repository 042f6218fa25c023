module rwo-guard/test/certs/go-verify

go 1.24
