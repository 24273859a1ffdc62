package convert

import (
	"bytes"
	"encoding/json"
)

// firstKeys are the keys of the JSON object that a text begins with, as far as the
// head goes.
func firstKeys(head []byte) (keys []string) {
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\ufeff"))))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return keys
		}
		keys = append(keys, key)
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return keys
		}
	}
	return keys
}
