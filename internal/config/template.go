package config

import _ "embed"

// Which names one of the two configuration files.
type Which string

// The configuration files.
const (
	OperatorFile   Which = "operator"
	RepositoryFile Which = "repository"
)

var (
	//go:embed template/operator.yaml
	operatorTemplate []byte
	//go:embed template/repository.yaml
	repositoryTemplate []byte
)

// Template returns the commented file that init writes: every key with its
// default, so that it changes nothing until it is edited. It is nil for
// another name.
func Template(which Which) []byte {
	switch which {
	case OperatorFile:
		return append([]byte(nil), operatorTemplate...)
	case RepositoryFile:
		return append([]byte(nil), repositoryTemplate...)
	default:
		return nil
	}
}
