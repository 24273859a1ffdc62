package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"edgebench/loadgen/transport"
)

// A Target opens transports, one a shard, that all send to one place.
type Target struct {
	config Config
	dialer *dialer
}

// Prepare checks the configuration, reads its files, and looks up the host
// that is connected to, unless the addresses were given.
func Prepare(ctx context.Context, c Config) (*Target, error) {
	if c.HeaderLimit == 0 {
		c.HeaderLimit = DefaultHeaderLimit
	}
	if c.BodyLimit == 0 {
		c.BodyLimit = DefaultBodyLimit
	}
	d := &dialer{timeout: c.ConnectTimeout, socket: c.Socket}
	faults := []error{c.Validate()}
	if c.TLS != nil {
		host, _, _ := split(c.Address)
		var err error
		d.secure, err = c.TLS.Config(host)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("%w: %w", transport.ErrConfig, err)
	}
	hop := c.Address
	if c.ConnectTo != "" {
		hop = c.ConnectTo
	}
	if c.Proxy != "" {
		proxy, user, _ := parseProxy(c.Proxy)
		d.tunnel = tunnelRequest(hop, user)
		hop = proxy
	}
	if c.Socket == "" {
		host, port, _ := split(hop)
		d.names = newNames(host, port, c)
		ctx, cancel := context.WithTimeout(ctx, c.ConnectTimeout)
		defer cancel()
		if _, err := d.names.refresh(ctx); err != nil {
			return nil, fmt.Errorf("address %q: %w", hop, err)
		}
	}
	return &Target{config: c, dialer: d}, nil
}

// String is the way to the target, fit to be shown: no password is in it.
func (t *Target) String() string {
	c := t.config
	if c.Socket != "" {
		return "unix:" + c.Socket
	}
	text := c.Address
	if c.ConnectTo != "" {
		text += " at " + c.ConnectTo
	}
	if t.dialer.tunnel != nil {
		text += " by proxy " + net.JoinHostPort(t.dialer.names.host, strconv.Itoa(int(t.dialer.names.port)))
	}
	return text
}

// Open makes the transport of one shard, with its connections warmed. It is an
// error when not even one of those asked for came to be.
func (t *Target) Open(ctx context.Context, o transport.Options) (transport.Transport, error) {
	tr, err := newTransport(t, o)
	if err != nil {
		return nil, err
	}
	if err := tr.warm(ctx, o.Warm); err != nil {
		tr.Close()
		return nil, err
	}
	return tr, nil
}
