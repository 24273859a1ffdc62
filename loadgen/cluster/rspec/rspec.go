// Package rspec reads manifests in GENI's RSpec format, version 3, as CloudLab
// and its relatives give them for an experiment: which machines there are, who
// may log in where, and which addresses they have on the experiment's networks.
// It decides nothing: who logs in and which network counts is its caller's choice.
// It refuses what is not a manifest, above all the request that a manifest answers.
package rspec

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
)

// MaxBytes bounds a manifest: one of 1,000 nodes with 50 logins each takes 10 MB.
const MaxBytes = 32 << 20

// A Node is one machine of an experiment, physical or virtual.
type Node struct {
	Name     string // client_id: unique in one manifest
	Site     string // authority of the aggregate, such as utah.cloudlab.us
	Kind     string // sliver type: raw-pc, emulab-xen, …
	Hardware string // type of the machine, such as xl170; of a VM that of its virtual one
	Logins   []Login
	// Addresses are those of its interfaces on the experiment's networks, never of
	// the control network, each with the length of its network.
	Addresses []netip.Prefix
}

// A Login is one way in. VMs that share an address differ by port.
type Login struct {
	User, Host string
	Port       int // 1 … 65535, 22 where none is said
}

// A document is what of the format is read. Names match in any name space: that of
// the format has changed its version, and extensions come and go.
type document struct {
	Type  string         `xml:"type,attr"`
	Nodes []documentNode `xml:"node"`
}

type documentNode struct {
	ClientID string `xml:"client_id,attr"`
	Manager  string `xml:"component_manager_id,attr"`
	Sliver   struct {
		Name string `xml:"name,attr"`
	} `xml:"sliver_type"`
	Hardware []struct {
		Name string `xml:"name,attr"`
	} `xml:"hardware_type"`
	VNode struct {
		Hardware string `xml:"hardware_type,attr"`
	} `xml:"vnode"`
	Logins []struct {
		Authentication string `xml:"authentication,attr"`
		Host           string `xml:"hostname,attr"`
		Port           string `xml:"port,attr"`
		User           string `xml:"username,attr"`
	} `xml:"services>login"`
	Interfaces []struct {
		ClientID string `xml:"client_id,attr"`
		IPs      []struct {
			Address string `xml:"address,attr"`
			Netmask string `xml:"netmask,attr"`
		} `xml:"ip"`
	} `xml:"interface"`
}

// Parse reads a text of one manifest, or of several one after the other, as an
// experiment over several sites has. All faults are reported at once; name stands
// for the text in them.
func Parse(name string, data []byte) ([]Node, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: larger than %d MB, too large for a manifest", name, MaxBytes>>20)
	}
	p := parser{name: name}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.broken(d, err)
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "rspec" {
			p.fault("<%.40s> is not a manifest: want <rspec type=\"manifest\">", start.Name.Local)
			break
		}
		var doc document
		if err := d.DecodeElement(&doc, &start); err != nil {
			p.broken(d, err)
			break
		}
		p.document(doc)
	}
	if p.documents == 0 && len(p.faults) == 0 {
		p.fault("no <rspec> in it: not a manifest")
	}
	return p.nodes, errors.Join(p.faults...)
}

type parser struct {
	name      string
	documents int
	nodes     []Node
	faults    []error
}

func (p *parser) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf("%s: "+format, append([]any{p.name}, args...)...))
}

// broken is about text that ends early or is no XML.
func (p *parser) broken(d *xml.Decoder, err error) {
	line, _ := d.InputPos()
	text := strings.TrimPrefix(err.Error(), "XML syntax error on ")
	text = strings.TrimPrefix(text, fmt.Sprintf("line %d: ", line))
	if strings.Contains(text, "unexpected EOF") {
		text = "it ends in the middle, was it copied whole?"
	}
	p.fault("line %d: %s", line, text)
}

func (p *parser) document(doc document) {
	p.documents++
	if doc.Type != "manifest" {
		p.fault("an rspec of type %.40q: want the manifest, which says what an experiment got, not what was asked for", doc.Type)
		return
	}
	seen := map[string]bool{}
	for i, from := range doc.Nodes {
		if from.ClientID == "" {
			p.fault("node %d has no client_id", i+1)
			continue
		}
		if seen[from.ClientID] {
			p.fault("node %q is there twice", from.ClientID)
			continue
		}
		seen[from.ClientID] = true
		p.nodes = append(p.nodes, p.node(from))
	}
}

func (p *parser) node(from documentNode) Node {
	n := Node{Name: from.ClientID, Site: authority(from.Manager), Kind: from.Sliver.Name, Hardware: from.VNode.Hardware}
	if len(from.Hardware) > 0 {
		n.Hardware = from.Hardware[0].Name // what was asked for; a vnode's is the same or says "pcvm"
	}
	for _, l := range from.Logins {
		if l.Authentication != "" && l.Authentication != "ssh-keys" {
			continue
		}
		login := Login{User: l.User, Host: l.Host, Port: 22}
		if l.Port != "" {
			port, err := strconv.ParseUint(strings.TrimSpace(l.Port), 10, 16)
			if err != nil || port == 0 {
				p.fault("node %q: port %q of login %q is not one from 1 to 65535", n.Name, l.Port, l.User)
				continue
			}
			login.Port = int(port)
		}
		if login.User == "" || login.Host == "" {
			p.fault("node %q: a login without %s", n.Name, missing(login))
			continue
		}
		n.Logins = append(n.Logins, login)
	}
	for _, at := range from.Interfaces {
		for _, ip := range at.IPs {
			prefix, err := network(ip.Address, ip.Netmask)
			if err != nil {
				p.fault("node %q, interface %q: %v", n.Name, at.ClientID, err)
				continue
			}
			n.Addresses = append(n.Addresses, prefix)
		}
	}
	return n
}

func missing(l Login) string {
	if l.User == "" {
		return "username"
	}
	return "hostname"
}

// authority is the site in a URN such as urn:publicid:IDN+utah.cloudlab.us+authority+cm.
func authority(urn string) string {
	parts := strings.Split(urn, "+")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// network reads an address with a mask, 255.255.255.0 or 24. Without one the
// address is a network of its own.
func network(address, mask string) (netip.Prefix, error) {
	addr, err := netip.ParseAddr(strings.TrimSpace(address))
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("%q is not an IP address", address)
	}
	bits, err := maskBits(strings.TrimSpace(mask), addr)
	if err != nil {
		return netip.Prefix{}, err
	}
	return netip.PrefixFrom(addr.WithZone(""), bits), nil
}

func maskBits(mask string, addr netip.Addr) (int, error) {
	if mask == "" {
		return addr.BitLen(), nil
	}
	if n, err := strconv.Atoi(mask); err == nil && n >= 0 && n <= addr.BitLen() {
		return n, nil
	}
	if m, err := netip.ParseAddr(mask); err == nil && m.BitLen() == addr.BitLen() {
		if bits, contiguous := leadingOnes(m.AsSlice()); contiguous {
			return bits, nil
		}
	}
	return 0, fmt.Errorf("netmask %q of %s is not one", mask, addr)
}

// leadingOnes counts the ones of a mask, which must all come first.
func leadingOnes(mask []byte) (n int, contiguous bool) {
	ended := false
	for _, b := range mask {
		for bit := 7; bit >= 0; bit-- {
			one := b>>bit&1 == 1
			if one && ended {
				return 0, false
			}
			if one {
				n++
			} else {
				ended = true
			}
		}
	}
	return n, true
}
