package experiment

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"edgebench/loadgen/request"
	"edgebench/profiles"
	"edgebench/profiles/arrival"
)

// anyOrigin stands in for that of a node that is yet to be started.
const anyOrigin = "http://127.0.0.1"

// CheckRequests reads the files that requests are made of and reports every
// fault. Variables of the environment need not be set.
func CheckRequests(p *profiles.Profile, s *arrival.Schedule) error {
	_, err := compile(p, s, anyOrigin, func(string) (string, bool) { return "set", true })
	return err
}

// compile makes the requests of a profile for where they go.
func compile(p *profiles.Profile, s *arrival.Schedule, origin string, env func(string) (string, bool)) (*request.Set, error) {
	set, err := request.Compile(request.Config{
		Cold:     p.Cold,
		Requests: p.Requests(s), Origin: origin, Seed: p.Seed, OneRequest: p.Target.Way.OneRequest,
		Read: readFile, Env: env, Now: time.Now,
	})
	if err != nil {
		return nil, placed(p, err, func(one error) (key, message string, ok bool) {
			fault, ok := errors.AsType[*request.Fault](one)
			if ok {
				key, message = fault.Key, fault.Err.Error()
			}
			return key, message, ok
		})
	}
	return set, nil
}

// readFile reads a whole file of at most so many bytes.
func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: larger than %d bytes", name, most)
	}
	return data, err
}
