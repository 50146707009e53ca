package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// ConfigVariable names the variable that names the operator's file.
const ConfigVariable = "RETROSWEEP_CONFIG"

// FindOperator returns where the operator's configuration is looked for: path,
// else RETROSWEEP_CONFIG, else retrosweep/config.yaml in the user's
// configuration directory. A named file must be there.
func FindOperator(path string, env func(string) string) (file string, named bool) {
	if path != "" {
		return path, true
	}
	if path = env(ConfigVariable); path != "" {
		return path, true
	}
	if dir := userDir(env); dir != "" {
		return filepath.Join(dir, "retrosweep", "config.yaml"), false
	}
	return "", false
}

// userDir is os.UserConfigDir by the given environment.
func userDir(env func(string) string) string {
	switch runtime.GOOS {
	case "windows":
		return env("AppData")
	case "darwin", "ios":
		if home := env("HOME"); home != "" {
			return filepath.Join(home, "Library", "Application Support")
		}
		return ""
	default:
		if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return dir
		}
		if home := env("HOME"); home != "" {
			return filepath.Join(home, ".config")
		}
		return ""
	}
}

// LoadOperator reads the operator's configuration (see [FindOperator]) over
// the defaults, and the environment over that (see [Variables]). What is wrong
// with either is a [*Faults] with every fault in it.
func LoadOperator(path string, env func(string) string) (Operator, error) {
	o := DefaultOperator()
	file, named := FindOperator(path, env)
	src, err := readFile(file, named)
	if err != nil {
		return DefaultOperator(), err
	}
	faults := append(o.apply(file, src), o.override(env)...)
	if err := asError(faults); err != nil {
		return DefaultOperator(), err
	}
	return o, nil
}

func readFile(file string, named bool) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the operator's configuration: %w", err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the operator's configuration %s: %w", file, err)
	}
	return src, nil
}

// apply takes the file's values.
func (o *Operator) apply(file string, src []byte) []Fault {
	d := &decoder{file: file}
	m, faults := readMapping(file, src)
	if d.faults = faults; m != nil {
		d.mapping(m, o.fields())
	}
	return d.faults
}

// override takes the values of the environment.
func (o *Operator) override(env func(string) string) []Fault {
	d := &decoder{}
	each(o.fields(), "", func(_ string, f field) {
		value := env(f.env)
		if value == "" {
			return
		}
		before := len(d.faults)
		f.set(d, ast.String(token.New(value, value, &token.Position{})))
		for i := range d.faults[before:] {
			d.faults[before+i].File = "$" + f.env
		}
	})
	return d.faults
}

// Variable is an environment variable that overrides a key.
type Variable struct{ Name, Key string }

// Variables are the environment variables that override the operator's file,
// in the order of its keys.
func Variables() []Variable {
	var all []Variable
	each(new(Operator).fields(), "", func(key string, f field) { all = append(all, Variable{Name: f.env, Key: key}) })
	return all
}

// each calls do for every field that a variable overrides, with its full key.
func each(fields []field, prefix string, do func(key string, f field)) {
	for _, f := range fields {
		if f.env != "" {
			do(prefix+f.name, f)
		}
		each(f.keys, prefix+f.name+".", do)
	}
}
