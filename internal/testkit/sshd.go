package testkit

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// SSHServer is Debian's openssh-server on a loopback port.
type SSHServer struct {
	URL        string // ssh://user@127.0.0.1:port, to which an absolute path is added
	Key        string // the private key file that it lets in
	KnownHosts string // a file that knows its key
	HostLine   string // the line in it
}

const sshdPath = "/usr/sbin/sshd"

// SSHD runs sshd with keys made for the test, for the user who runs it. Our own
// listener accepts the connections and gives each to an sshd of its own, as
// inetd does, so no port is chosen twice. It ends with the test.
func SSHD(t Owner) *SSHServer {
	t.Helper()
	NeedGit(t)
	_, err := os.Stat(sshdPath)
	need(t, sshdPath, "openssh-server", err == nil)
	if os.Getuid() == 0 { // sshd as root insists on the directory, empty
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			t.Fatalf("sshd: %v", err)
		}
	}
	dir := t.TempDir()
	hostKey := writeKey(t, filepath.Join(dir, "host"))
	userKey := writeKey(t, filepath.Join(dir, "user"))
	writeText(t, filepath.Join(dir, "authorized"), string(ssh.MarshalAuthorizedKey(userKey)))
	writeText(t, filepath.Join(dir, "sshd_config"), sshdConfig(dir))

	l := listen(t)
	runInetd(t, l, sshdPath, "-i", "-e", "-f", filepath.Join(dir, "sshd_config"))
	me, err := user.Current()
	if err != nil {
		t.Fatalf("sshd: %v", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	s := &SSHServer{
		URL:        fmt.Sprintf("ssh://%s@127.0.0.1:%d", me.Username, port),
		Key:        filepath.Join(dir, "user"),
		KnownHosts: filepath.Join(dir, "known_hosts"),
		HostLine:   fmt.Sprintf("[127.0.0.1]:%d %s", port, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(hostKey)))),
	}
	writeText(t, s.KnownHosts, s.HostLine+"\n")
	return s
}

func sshdConfig(dir string) string {
	return strings.Join([]string{
		"HostKey " + filepath.Join(dir, "host"),
		"AuthorizedKeysFile " + filepath.Join(dir, "authorized"),
		"StrictModes no", "UsePAM no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
		"PermitRootLogin prohibit-password", "PidFile none", "PrintMotd no", "X11Forwarding no",
		"SetEnv GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=" + os.DevNull, "",
	}, "\n")
}

func writeText(t TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
}

// writeKey makes a key pair and writes the private half.
func writeKey(t TB, file string) ssh.PublicKey {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	writeText(t, file, string(pem.EncodeToMemory(block)))
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatalf("make a key: %v", err)
	}
	return key
}

// runInetd starts the program for each connection, which is its standard input
// and output.
func runInetd(t Owner, l net.Listener, program string, args ...string) {
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			running.Go(func() { inetd(conn.(*net.TCPConn), program, args) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		running.Wait()
	})
}

func inetd(conn *net.TCPConn, program string, args []string) {
	socket, err := conn.File()
	conn.Close()
	if err != nil {
		return // the client sees the connection end
	}
	defer socket.Close()
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout = socket, socket
	cmd.Run() // how it ends is the client's to see
}

// SSHAgent runs an agent that holds one key, and returns its socket. It ends
// with the test.
func SSHAgent(t Owner, key string) (socket string) {
	t.Helper()
	pem, err := os.ReadFile(key)
	if err != nil {
		t.Fatalf("agent: %v", err)
	}
	private, err := ssh.ParseRawPrivateKey(pem)
	if err != nil {
		t.Fatalf("agent: %v", err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatalf("agent: %v", err)
	}
	socket = filepath.Join(t.TempDir(), "agent")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatalf("agent: %v", err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test has ended
			}
			go func() {
				defer conn.Close()
				agent.ServeAgent(ring, conn) // how it ends is the client's to see
			}()
		}
	}()
	return socket
}
