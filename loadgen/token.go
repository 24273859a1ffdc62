package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// readToken reads a token file; "" without one.
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" || strings.ContainsAny(token, " \t\n") {
		return "", fmt.Errorf("--token-file %s: want one word in it", path)
	}
	return token, nil
}

// makeToken reads a token file, and makes one that does not exist, for its owner
// alone.
func makeToken(path string) (token string, made bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		token, err = readToken(path)
		return token, false, err
	}
	if err != nil {
		return "", false, fmt.Errorf("--token-file: %w", err)
	}
	token = rand.Text()
	_, err = fmt.Fprintln(f, token)
	return token, true, errors.Join(err, f.Close())
}
