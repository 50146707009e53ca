// Package signing owns the signatures of commits: by an SSH key or an OpenPGP
// key, as git makes and checks them. The same key, text and moment give the same
// signature wherever the kind of key allows it (Ed25519 and RSA do).
package signing

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"golang.org/x/crypto/ssh"
)

// Signer signs the text of a commit that is made at a moment. The result is what
// stands in its gpgsig header.
type Signer interface {
	Sign(payload []byte, at time.Time) (string, error)
}

// New reads a private key: an SSH key as ssh-keygen writes it, or an armored
// OpenPGP key. The passphrase is "" where there is none.
func New(key []byte, passphrase string) (Signer, error) {
	if bytes.Contains(key, []byte("BEGIN PGP PRIVATE KEY BLOCK")) {
		return newOpenPGP(key, passphrase)
	}
	parse := func() (ssh.Signer, error) { return ssh.ParsePrivateKey(key) }
	if passphrase != "" {
		parse = func() (ssh.Signer, error) { return ssh.ParsePrivateKeyWithPassphrase(key, []byte(passphrase)) }
	}
	s, err := parse()
	if err != nil {
		return nil, errors.New("read the signing key: it is neither an SSH key nor an armored OpenPGP key, or its passphrase is missing") // the cause may quote the key
	}
	return sshSigner{s}, nil
}

type sshSigner struct{ ssh.Signer }

// The parts of a signature as OpenSSH describes it in PROTOCOL.sshsig.
const (
	magic     = "SSHSIG"
	namespace = "git"
	hashName  = "sha512"
)

// Sign implements [Signer].
func (s sshSigner) Sign(payload []byte, _ time.Time) (string, error) {
	sum := sha512.Sum512(payload)
	signed := append([]byte(magic), ssh.Marshal(struct{ Namespace, Reserved, Hash, Sum string }{namespace, "", hashName, string(sum[:])})...)
	signature, err := s.sign(signed)
	if err != nil {
		return "", fmt.Errorf("sign with the SSH key: %w", err)
	}
	blob := append([]byte(magic), ssh.Marshal(struct {
		Version                              uint32
		Key, Namespace, Reserved, Hash, Sign string
	}{1, string(s.PublicKey().Marshal()), namespace, "", hashName, string(ssh.Marshal(signature))})...)
	return armor("SSH SIGNATURE", blob), nil
}

// sign asks RSA keys for a hash that is still accepted.
func (s sshSigner) sign(data []byte) (*ssh.Signature, error) {
	if a, ok := s.Signer.(ssh.AlgorithmSigner); ok && s.PublicKey().Type() == ssh.KeyAlgoRSA {
		return a.SignWithAlgorithm(rand.Reader, data, ssh.KeyAlgoRSASHA512)
	}
	return s.Signer.Sign(rand.Reader, data)
}

func armor(kind string, blob []byte) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + kind + "-----\n")
	text := base64.StdEncoding.EncodeToString(blob)
	for len(text) > 70 {
		b.WriteString(text[:70] + "\n")
		text = text[70:]
	}
	b.WriteString(text + "\n-----END " + kind + "-----\n")
	return b.String()
}

type openPGP struct{ key *openpgp.Entity }

func newOpenPGP(key []byte, passphrase string) (Signer, error) {
	ring, err := openpgp.ReadArmoredKeyRing(bytes.NewReader(key))
	if err != nil || len(ring) != 1 {
		return nil, fmt.Errorf("read the signing key: one armored OpenPGP key is needed, there are %d", len(ring))
	}
	if err := ring[0].DecryptPrivateKeys([]byte(passphrase)); err != nil {
		return nil, errors.New("read the signing key: its passphrase is wrong or missing")
	}
	return &openPGP{ring[0]}, nil
}

// Sign implements [Signer].
func (s *openPGP) Sign(payload []byte, at time.Time) (string, error) {
	var b bytes.Buffer
	salted := false // the same commit has the same id
	config := &packet.Config{DefaultHash: crypto.SHA256, Time: func() time.Time { return at }, NonDeterministicSignaturesViaNotation: &salted}
	if err := openpgp.ArmoredDetachSign(&b, s.key, bytes.NewReader(payload), config); err != nil {
		return "", fmt.Errorf("sign with the OpenPGP key: %w", err)
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}
