package monitor

import "encoding/json"

// Null is a value that may be missing. The zero value is missing, and is an
// empty field in a CSV row, null in JSON, never 0.
type Null[T any] struct {
	V     T
	Valid bool
}

// MarshalJSON writes the value or null.
func (n Null[T]) MarshalJSON() ([]byte, error) {
	if !n.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(n.V)
}
