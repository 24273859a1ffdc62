package profiles

import "go.yaml.in/yaml/v3"

// tree adds what differs from the simple way to the tree of a url.
func (w Way) tree(n *yaml.Node) {
	text := func(name, value string) {
		if value != "" {
			add(n, name, quoted(value))
		}
	}
	if w.Transport != "" {
		add(n, "transport", word(w.Transport))
	}
	if w.TLS != (TLS{}) {
		add(n, "tls", w.TLS.tree())
	}
	text("unix_socket", w.UnixSocket)
	text("proxy", w.Proxy)
	text("connect_to", w.ConnectTo)
	if len(w.Resolve) > 0 {
		list := sequence()
		for _, address := range w.Resolve {
			list.Content = append(list.Content, quoted(address))
		}
		add(n, "resolve", flow(list))
	}
	text("name_server", w.NameServer)
	if w.DNSTTL > 0 {
		add(n, "dns_ttl", word(formatDuration(w.DNSTTL)))
	}
	if w.Family != 0 {
		add(n, "family", integer(w.Family))
	}
	if w.ConnectTimeout > 0 {
		add(n, "connect_timeout", word(formatDuration(w.ConnectTimeout)))
	}
	if w.OneRequest {
		add(n, "keep_alive", number("false"))
	}
}

func (t TLS) tree() *yaml.Node {
	n := tree()
	for _, f := range []struct{ name, value string }{{"server_name", t.ServerName}, {"ca", t.CA}, {"cert", t.Cert}, {"key", t.Key}} {
		if f.value != "" {
			add(n, f.name, quoted(f.value))
		}
	}
	if t.Insecure {
		add(n, "insecure", number("true"))
	}
	return flow(n)
}
