// Package checks holds what is said about the deploy files by the projects
// that read them: Kubernetes, kustomize, GitHub's workflow syntax and BuildKit's
// Containerfile parser. It has tests only; run them with
//
//	cd deploy/checks && go test ./...
package checks
