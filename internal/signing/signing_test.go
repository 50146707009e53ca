package signing_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"golang.org/x/crypto/ssh"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/signing"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const history = "-- commit --\nauthor: Ada <ada@acme.dev>\ndate: 2026-01-01T08:00:00Z\n\nstart\n-- a.md --\na\n"

var at = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

// commit writes the same commit twice, signed, and returns where and which.
func commit(t *testing.T, s signing.Signer) (dir, id string) {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	who := proposal.Identity{Name: "gardener", Email: "bot@acme.dev", Signer: s}
	var ids []string
	for range 2 {
		h, err := proposal.Commit(r, head, map[string][]byte{"a.md": []byte("b\n")}, "docs: b", who, at)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, h.String())
	}
	if ids[0] != ids[1] {
		t.Errorf("the same commit is %s and %s", ids[0], ids[1])
	}
	return r.Path(), ids[0]
}

// git itself checks a signature by an SSH key.
func TestSSHSignatureHoldsForGit(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := signing.New(pem.EncodeToMemory(block), "")
	if err != nil {
		t.Fatal(err)
	}
	dir, id := commit(t, s)
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("git checks SSH signatures by ssh-keygen, which is not here")
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	allowed := filepath.Join(t.TempDir(), "allowed")
	if err := os.WriteFile(allowed, append([]byte("bot@acme.dev "), ssh.MarshalAuthorizedKey(key)...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", dir, "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", id).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Good \"git\" signature for bot@acme.dev") {
		t.Errorf("git verify-commit: %v\n%s", err, out)
	}
}

// A signature by an OpenPGP key holds over the commit without its header.
func TestOpenPGPSignatureHolds(t *testing.T) {
	t.Parallel()
	config := &packet.Config{Algorithm: packet.PubKeyAlgoEdDSA, Time: func() time.Time { return at.Add(-time.Hour) }}
	entity, err := openpgp.NewEntity("gardener", "", "bot@acme.dev", config)
	if err != nil {
		t.Fatal(err)
	}
	var key bytes.Buffer
	w, err := armor.Encode(&key, openpgp.PrivateKeyType, nil)
	if err == nil {
		err = entity.SerializePrivate(w, config)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	s, err := signing.New(key.Bytes(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir, id := commit(t, s)
	raw := testkit.Git(t, dir, "cat-file", "commit", id) + "\n"
	before, rest, ok := strings.Cut(raw, "gpgsig ")
	signature, after, ended := strings.Cut(rest, "\n\ndocs")
	if !ok || !ended {
		t.Fatalf("there is no signature:\n%s", raw)
	}
	signature = strings.ReplaceAll(signature, "\n ", "\n")
	payload := before + "\ndocs" + strings.TrimRight(after, "\n") + "\n"
	check := &packet.Config{Time: func() time.Time { return at }}
	if _, err := openpgp.CheckArmoredDetachedSignature(openpgp.EntityList{entity}, strings.NewReader(payload), strings.NewReader(signature), check); err != nil {
		t.Errorf("%v\n%s", err, raw)
	}
}

// What is no key is refused, and no error repeats it.
func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "hello secret", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nsecret\n-----END PGP PRIVATE KEY BLOCK-----\n", "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----\n"} {
		s, err := signing.New([]byte(key), "")
		if err == nil || s != nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", key, err)
		}
	}
}
