// Package remote is one connection to a machine over ssh: a login by agent or key
// files, a host key that is known, scripts run by /bin/sh whatever the login shell,
// files by sftp. It never asks: what a person would have to decide is an error that
// says what to do.
package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// An Address is where and as whom to log in.
type Address struct {
	User, Host string
	Port       int
}

// HostPort is the address as the network library takes it.
func (a Address) HostPort() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// String is the address as people write it.
func (a Address) String() string {
	if a.Port == defaultPort {
		return a.User + "@" + a.Host
	}
	return fmt.Sprintf("%s@%s port %d", a.User, a.Host, a.Port)
}

const defaultPort = 22

// ParseAddress reads [user@]host[:port]; user stands in where none is named.
func ParseAddress(text, user string) (Address, error) {
	a := Address{User: user, Port: defaultPort}
	rest := text
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		a.User, rest = text[:at], text[at+1:]
	}
	a.Host = strings.Trim(rest, "[]")
	if host, port, err := net.SplitHostPort(rest); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Address{}, fmt.Errorf("%q: port %q is not one from 1 to 65535", text, port)
		}
		a.Host, a.Port = host, int(n)
	}
	if a.Host == "" || a.User == "" {
		return Address{}, fmt.Errorf("%q is not user@host[:port]", text)
	}
	return a, nil
}

// A Dialer makes connections. Keys and Hosts are wanted; it may be used by several
// goroutines.
type Dialer struct {
	Keys    *Keys
	Hosts   *KnownHosts
	Timeout time.Duration // for connection, host key and login together [15 s]
	Jump    *Address      // machine that all connections go through; nil for none

	mu     sync.Mutex
	jump   *ssh.Client // one for all: many logins at once are what sshd's MaxStartups refuses
	closed bool
}

const defaultTimeout = 15 * time.Second

// Dial logs in. The connection ends with Close alone.
func (d *Dialer) Dial(ctx context.Context, a Address) (*Host, error) {
	timeout := d.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no login within %v", timeout))
	defer cancel()
	conn, err := d.connect(ctx, a)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", a, err)
	}
	client, err := d.login(ctx, conn, a)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", a, err)
	}
	return newHost(client, a), nil
}

// connect opens the bytes that ssh will run over.
func (d *Dialer) connect(ctx context.Context, a Address) (net.Conn, error) {
	if d.Jump == nil {
		return new(net.Dialer).DialContext(ctx, "tcp", a.HostPort())
	}
	through, err := d.through(ctx)
	if err != nil {
		return nil, fmt.Errorf("by way of %v: %w", *d.Jump, err)
	}
	conn, err := through.DialContext(ctx, "tcp", a.HostPort())
	if err != nil {
		return nil, fmt.Errorf("by way of %v: %w", *d.Jump, err)
	}
	return conn, nil
}

// through is the connection to the machine between, made when first wanted.
func (d *Dialer) through(ctx context.Context) (*ssh.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, net.ErrClosed
	}
	if d.jump != nil {
		return d.jump, nil
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", d.Jump.HostPort())
	if err != nil {
		return nil, err
	}
	d.jump, err = d.login(ctx, conn, *d.Jump)
	return d.jump, err
}

// login takes conn over, and closes it when it fails.
func (d *Dialer) login(ctx context.Context, conn net.Conn, a Address) (*ssh.Client, error) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	hosts := d.Hosts.check()
	config := &ssh.ClientConfig{
		User: a.User, Auth: []ssh.AuthMethod{ssh.PublicKeysCallback(d.Keys.signers)},
		HostKeyCallback: hosts.callback, HostKeyAlgorithms: d.Hosts.algorithms(a.HostPort()),
	}
	c, channels, requests, err := ssh.NewClientConn(conn, a.HostPort(), config)
	if err == nil {
		return ssh.NewClient(c, channels, requests), nil
	}
	conn.Close()
	switch {
	case hosts.refused != nil: // the library keeps only its text
		return nil, hosts.refused
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case strings.Contains(err.Error(), "unable to authenticate"):
		return nil, fmt.Errorf("%s accepts none of our keys: %s", a.Host, d.Keys.tried())
	}
	return nil, err
}

// Close ends the connection to the machine between.
func (d *Dialer) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	var err error
	if d.jump != nil {
		err = d.jump.Close()
	}
	return errors.Join(err, d.Keys.Close())
}
