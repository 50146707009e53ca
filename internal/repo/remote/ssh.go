package remote

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
)

const (
	dialTimeout = 30 * time.Second
	maxKeyFile  = 1 << 20
)

func (s *session) sshClient() (transport.Transport, transport.AuthMethod, error) {
	hosts, err := s.knownHosts()
	if err != nil {
		return nil, nil, err
	}
	s.sent = true
	login := s.url.login(sshConfig(s.url.host, "User"))
	return gitssh.NewClient(nil), &sshAuth{session: s, login: login, hosts: hosts}, nil
}

// sshAuth offers keys and checks the host's.
type sshAuth struct {
	session *session
	login   string
	hosts   *hostKeys
}

// Name names the method.
func (a *sshAuth) Name() string { return gitssh.PublicKeysCallbackName }

// String says who logs in.
func (a *sshAuth) String() string { return "ssh keys of " + a.login }

// ClientConfig is what the library dials with.
func (a *sshAuth) ClientConfig() (*ssh.ClientConfig, error) {
	return &ssh.ClientConfig{
		User:              a.login,
		Auth:              []ssh.AuthMethod{ssh.PublicKeysCallback(a.session.signers)},
		HostKeyCallback:   a.hosts.check,
		HostKeyAlgorithms: a.hosts.db.HostKeyAlgorithms(a.session.url.dialled()),
		Timeout:           dialTimeout,
	}, nil
}

// signers are the keys to offer: the one that was named, else those of the
// agent, of the user's ssh_config and the usual files.
func (s *session) signers() ([]ssh.Signer, error) {
	if s.options.SSHKey != "" {
		key, err := readKey(s.options.SSHKey)
		if err != nil {
			return nil, err
		}
		return []ssh.Signer{key}, nil
	}
	var all []ssh.Signer
	if agent, err := gitssh.NewSSHAgentAuth(s.url.login("")); err == nil && os.Getenv("SSH_AUTH_SOCK") != "" {
		keys, err := agent.Callback()
		if err != nil {
			s.notes = append(s.notes, "the agent gives no keys")
		}
		all = append(all, keys...)
	}
	for _, file := range keyFiles(sshConfig(s.url.host, "IdentityFile")) {
		key, err := readKey(file)
		switch {
		case err == nil:
			all = append(all, key)
		case !os.IsNotExist(err):
			s.notes = append(s.notes, err.Error())
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no key; start ssh-agent and add one, or make ~/.ssh/id_ed25519", ErrAuth)
	}
	return all, nil
}

func keyFiles(configured string) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	var files []string
	if rest, ok := strings.CutPrefix(configured, "~/"); ok {
		configured = filepath.Join(home, rest)
	}
	if configured != "" {
		files = append(files, configured)
	}
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		files = append(files, filepath.Join(home, ".ssh", name))
	}
	return files
}

// readKey reads a private key. Its errors name the file and nothing of it.
func readKey(file string) (ssh.Signer, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxKeyFile {
		return nil, fmt.Errorf("%s is no key", file)
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePrivateKey(pem)
	if _, locked := err.(*ssh.PassphraseMissingError); locked {
		return nil, fmt.Errorf("the key %s has a passphrase: add it to ssh-agent", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a private key that can be read", file)
	}
	return key, nil
}

// hostKeys is what known_hosts says.
type hostKeys struct {
	db   *knownhosts.HostKeyDB
	file string // where a line would be added
}

func (s *session) knownHosts() (*hostKeys, error) {
	files := s.knownHostsFiles()
	var present []string
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			present = append(present, f)
		}
	}
	db, err := knownhosts.NewDB(present...)
	if err != nil {
		return nil, fmt.Errorf("read known_hosts: %w", err)
	}
	return &hostKeys{db: db, file: files[0]}, nil
}

func (s *session) knownHostsFiles() []string {
	if s.options.KnownHosts != "" {
		return []string{s.options.KnownHosts}
	}
	if files := filepath.SplitList(os.Getenv("SSH_KNOWN_HOSTS")); len(files) > 0 {
		return files
	}
	files := []string{"/etc/ssh/ssh_known_hosts"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append([]string{filepath.Join(home, ".ssh", "known_hosts")}, files...)
	}
	return files
}

func (k *hostKeys) check(host string, addr net.Addr, key ssh.PublicKey) error {
	err := k.db.HostKeyCallback()(host, addr, key)
	if err == nil {
		return nil
	}
	return &HostKeyError{
		Host: host, Changed: knownhosts.IsHostKeyChanged(err), File: k.file,
		Line: knownhosts.Line([]string{host}, key), Fingerprint: ssh.FingerprintSHA256(key),
	}
}

// dialled is the host and port that the library dials: the user's ssh_config may
// have another name for the host.
func (u URL) dialled() string {
	host, port := u.host, u.port
	if name := sshConfig(u.host, "Hostname"); name != "" {
		host = name
		if p := sshConfig(u.host, "Port"); p != "" {
			port = p
		}
	}
	if n, err := strconv.Atoi(port); err != nil || n <= 0 {
		port = "22"
	}
	return net.JoinHostPort(host, port)
}

func sshConfig(host, key string) string {
	if gitssh.DefaultSSHConfig == nil {
		return ""
	}
	return gitssh.DefaultSSHConfig.Get(host, key)
}
