package report

import _ "embed"

// JSONSchema describes what [JSON] writes, for those who read receipts.
//
//go:embed receipt.schema.json
var JSONSchema []byte
