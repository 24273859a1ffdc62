package node

import (
	"strings"
	"testing"
)

func TestListenAddressIsCheckedBeforeAnythingStarts(t *testing.T) {
	t.Parallel()
	for listen, good := range map[string]bool{
		"127.0.0.1:0": true, ":8080": true, "[::1]:8080": true,
		"127.0.0.1:70000": false, "18080": false, "127.0.0.1": false, "h:http": false,
	} {
		c := Default()
		c.Listen = listen
		err := c.Validate()
		if good && err != nil || !good && (err == nil || !strings.Contains(err.Error(), "want HOST:PORT")) {
			t.Errorf("listen %q: %v", listen, err)
		}
	}
}
