package client

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Config reads the files named, and reports every fault at once. host is that
// of the address.
func (t *TLS) Config(host string) (*tls.Config, error) {
	c := &tls.Config{
		ServerName:         t.ServerName,
		InsecureSkipVerify: t.Insecure,
		NextProtos:         []string{"http/1.1"},
		// Else the first 128 KiB of a connection go in records of one packet
		// each, and a write of head and body becomes many.
		DynamicRecordSizingDisabled: true,
	}
	if c.ServerName == "" {
		c.ServerName = host
	}
	var faults []error
	if t.CAFile != "" {
		c.RootCAs = x509.NewCertPool()
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			faults = append(faults, fmt.Errorf("ca file: %w", err))
		} else if !c.RootCAs.AppendCertsFromPEM(pem) {
			faults = append(faults, fmt.Errorf("ca file %s: no certificate in it", t.CAFile))
		}
	}
	if t.CertFile != "" && t.KeyFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			faults = append(faults, fmt.Errorf("certificate file %s with key file %s: %w", t.CertFile, t.KeyFile, err))
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, errors.Join(faults...)
}

// explain names what answered a handshake without speaking TLS.
func explain(err error) error {
	var header tls.RecordHeaderError
	if !errors.As(err, &header) {
		return err
	}
	if bytes.HasPrefix(header.RecordHeader[:], []byte("HTTP")) {
		return fmt.Errorf("the peer speaks plain HTTP: %w", err)
	}
	return fmt.Errorf("the peer does not speak TLS, its answer begins %q: %w", header.RecordHeader[:], err)
}
