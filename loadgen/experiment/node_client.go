package experiment

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// nodeClient reads what a node of ours tells about itself. It keeps one
// connection of its own, so that the load's connections stay the load's.
type nodeClient struct {
	base  string
	http  *http.Client
	after uint64 // sequence number of the last event read
	lost  uint64 // events that left the node's ring before they were read
}

func newNodeClient(address string) *nodeClient {
	return &nodeClient{
		base: "http://" + address,
		http: &http.Client{
			Timeout:   2 * time.Second,
			Transport: &http.Transport{MaxConnsPerHost: 1, DisableCompression: true},
		},
	}
}

func (c *nodeClient) close() { c.http.CloseIdleConnections() }

// stats returns the node's /stats object as it is.
func (c *nodeClient) stats(ctx context.Context) (json.RawMessage, error) {
	body, _, err := c.get(ctx, "/stats")
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, fmt.Errorf("%s/stats: not JSON: %.80q", c.base, body)
	}
	return body, nil
}

// events calls each for every event after the last one read.
func (c *nodeClient) events(ctx context.Context, each func(line []byte) error) error {
	body, header, err := c.get(ctx, "/events?after="+strconv.FormatUint(c.after, 10))
	if err != nil {
		return err
	}
	if lost, err := strconv.ParseUint(header.Get("X-Events-Lost"), 10, 64); err == nil {
		c.lost += lost
	}
	for line, rest := nextLine(body); line != nil; line, rest = nextLine(rest) {
		var seq struct {
			Seq uint64 `json:"seq"`
		}
		if err := json.Unmarshal(line, &seq); err != nil {
			return fmt.Errorf("%s/events: %.80q: %w", c.base, line, err)
		}
		c.after = max(c.after, seq.Seq)
		if err := each(line); err != nil {
			return err
		}
	}
	return nil
}

func nextLine(body []byte) (line, rest []byte) {
	advance, line, _ := bufio.ScanLines(body, true)
	return line, body[advance:]
}

// get reads a whole answer; the node bounds its answers by its ring.
func (c *nodeClient) get(ctx context.Context, path string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return nil, nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("%s%s: status %d", c.base, path, resp.StatusCode)
	}
	return body, resp.Header, nil
}
