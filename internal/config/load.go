package config

// LoadOperator reads the operator's configuration from path; from
// RETROSWEEP_CONFIG, else the user's configuration directory, where path is
// empty. Variables of the environment override it.
func LoadOperator(path string, env func(string) string) (Operator, error) {
	return DefaultOperator(), nil
}

// ParseRepository reads a repository's .retrosweep.yaml.
func ParseRepository(src []byte) (Repository, error) {
	return DefaultRepository(), nil
}

// DefaultOperator is the operator's configuration where nothing is said.
func DefaultOperator() Operator { return Operator{Repo: ".", Journal: "auto"} }

// DefaultRepository is the repository's configuration where nothing is said.
func DefaultRepository() Repository { return Repository{Enabled: true} }

// Which names one of the two configuration files.
type Which string

// The configuration files.
const (
	OperatorFile   Which = "operator"
	RepositoryFile Which = "repository"
)

// Template returns the commented file for init.
func Template(which Which) []byte { return nil }
