package epoll

import (
	"testing"

	"edgebench/loadgen/transport"
	"edgebench/loadgen/transport/transporttest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	transporttest.Run(t, func(s transporttest.Setup) (transport.Transport, error) {
		target, err := Prepare(t.Context(), Config{
			Address: s.Address, Request: s.Request(), Head: s.Method == "HEAD",
			Timeout: s.Timeout, ColdHeader: s.ColdHeader,
		})
		if err != nil {
			return nil, err
		}
		return target.Open(t.Context(), s.Options)
	})
}
