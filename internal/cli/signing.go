package cli

import (
	"fmt"
	"os"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/signing"
)

// passphraseVariable holds the passphrase of the signing key.
const passphraseVariable = "RETROSWEEP_SIGNING_PASSPHRASE"

// signer reads the key that signs commits; nil where the operator names none.
func (m *Main) signer(c config.Operator) (signing.Signer, error) {
	if c.Delivery.SigningKey == "" {
		return nil, nil
	}
	key, err := os.ReadFile(c.Delivery.SigningKey)
	if err != nil {
		return nil, usageError{fmt.Errorf("delivery.signing_key: %w", err)}
	}
	s, err := signing.New(key, m.Getenv(passphraseVariable))
	if err != nil {
		return nil, usageError{fmt.Errorf("delivery.signing_key %s: %w", c.Delivery.SigningKey, err)}
	}
	return s, nil
}
