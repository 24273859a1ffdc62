package profiles

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"regexp"

	"go.yaml.in/yaml/v3"
)

// An Inventory names the machines of a cluster and how they are reached: made of
// CloudLab's manifests, or written by hand for any machines that speak ssh.
type Inventory struct {
	Name   string          `json:"name"`           // of the experiment
	User   string          `json:"user,omitempty"` // who logs in where a node names nobody
	Folder string          `json:"folder"`         // on every node, relative to the home folder, or absolute [edgebench]
	Keys   []string        `json:"keys,omitempty"` // private key files beside those of the agent; none: ssh's usual ones
	Jump   string          `json:"jump,omitempty"` // [user@]host[:port] that connections go through
	Nodes  []InventoryNode `json:"nodes"`          // at least one, names unique
}

// An InventoryNode is one machine.
type InventoryNode struct {
	Name    string `json:"name"`
	Host    string `json:"host"`              // name or address of the control network, for ssh
	Port    int    `json:"port"`              // of sshd [22]
	User    string `json:"user,omitempty"`    // empty: the inventory's
	Address string `json:"address,omitempty"` // on the experiment's network, where load goes; empty: none known
	Role    string `json:"role"`              // generator | target | both | coordinator [both]
	Site    string `json:"site,omitempty"`    // the aggregate it belongs to
	Type    string `json:"type,omitempty"`    // of the hardware
}

// Roles of a node: who makes load, who is loaded, who runs whole trials by itself,
// who only coordinates.
const (
	RoleGenerator   = "generator"
	RoleTarget      = "target"
	RoleBoth        = "both"
	RoleCoordinator = "coordinator"
)

// DefaultNodeFolder is the folder on nodes of an inventory that names none.
const DefaultNodeFolder = "edgebench"

const defaultSSHPort = 22

// plainFolder is kept to what no shell reads as anything else.
var plainFolder = regexp.MustCompile(`^[A-Za-z0-9/][A-Za-z0-9/._+-]*$`)

// LoadInventory reads an inventory file. The error is Faults, or about the file.
func LoadInventory(name string) (*Inventory, error) {
	data, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("inventory %s: %w (loadgen cluster inventory makes one)", name, os.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("inventory: %w", err)
	}
	return ParseInventory(name, data)
}

// ParseInventory reads one inventory file as strictly as a profile.
func ParseInventory(filename string, data []byte) (*Inventory, error) {
	d := &decoder{file: source{name: filename}, from: map[*yaml.Node]source{}}
	root, faults := d.file.readTree(data)
	if len(faults) > 0 {
		return nil, faults.err()
	}
	inv := d.inventory(value{d: d, node: root}, profileName(filename))
	return inv, d.faults.err()
}

func (d *decoder) inventory(v value, name string) *Inventory {
	inv := &Inventory{Name: name, Folder: DefaultNodeFolder}
	o, ok := v.object()
	if !ok {
		return inv
	}
	d.name(o, &inv.Name)
	o.line("user", &inv.User)
	if v, ok := o.field("folder"); ok && v.line(&inv.Folder) && !plainFolder.MatchString(inv.Folder) {
		v.fault("%q: a folder is letters, digits and / . _ + -, without ~: it is relative to the home folder", clip(inv.Folder))
	}
	if v, ok := o.field("keys"); ok {
		v.lines(&inv.Keys)
	}
	o.line("jump", &inv.Jump)
	if v, ok := o.required("nodes"); ok {
		nodes, isList := v.list()
		if isList && len(nodes) == 0 {
			v.fault("no nodes")
		}
		seen := map[string]bool{}
		for _, at := range nodes {
			node := d.inventoryNode(at)
			if node.User == "" && inv.User == "" {
				at.fault("node %s has no user: name one here, or one for all at the top", clip(node.Name))
			}
			if node.Name != "" && seen[node.Name] {
				at.fault("a second node %s", clip(node.Name))
			}
			seen[node.Name] = true
			inv.Nodes = append(inv.Nodes, node)
		}
	}
	o.close()
	return inv
}

func (d *decoder) inventoryNode(v value) InventoryNode {
	node := InventoryNode{Port: defaultSSHPort, Role: RoleBoth}
	o, ok := v.object()
	if !ok {
		return node
	}
	if _, ok := o.required("name"); ok {
		d.name(o, &node.Name)
	}
	if v, ok := o.required("host"); ok && v.line(&node.Host) && node.Host == "" {
		v.fault("empty")
	}
	o.integer("port", &node.Port, 1, 65535)
	o.line("user", &node.User)
	if v, ok := o.field("address"); ok && v.line(&node.Address) {
		if _, err := netip.ParseAddr(node.Address); err != nil {
			v.fault("%q is not an IP address", clip(node.Address))
		}
	}
	o.choice("role", &node.Role, RoleGenerator, RoleTarget, RoleBoth, RoleCoordinator)
	o.line("site", &node.Site)
	o.line("type", &node.Type)
	o.close()
	return node
}

// LoginOf is who logs in on a node.
func (inv *Inventory) LoginOf(n InventoryNode) string {
	if n.User != "" {
		return n.User
	}
	return inv.User
}

// YAML is the inventory as a file to edit, and reads back as the same.
func (inv *Inventory) YAML() []byte {
	root := tree("name", word(inv.Name))
	text := func(at *yaml.Node, key, value string) {
		if value != "" {
			add(at, key, word(value))
		}
	}
	text(root, "user", inv.User)
	text(root, "folder", inv.Folder)
	if len(inv.Keys) > 0 {
		keys := sequence()
		for _, k := range inv.Keys {
			keys.Content = append(keys.Content, word(k))
		}
		add(root, "keys", keys)
	}
	text(root, "jump", inv.Jump)
	nodes := sequence()
	for _, n := range inv.Nodes {
		at := tree("name", word(n.Name), "host", word(n.Host), "port", integer(n.Port))
		text(at, "user", n.User)
		text(at, "address", n.Address)
		text(at, "role", n.Role)
		text(at, "site", n.Site)
		text(at, "type", n.Type)
		nodes.Content = append(nodes.Content, at)
	}
	add(root, "nodes", nodes)
	return document(root)
}
