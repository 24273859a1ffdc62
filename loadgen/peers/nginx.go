package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"edgebench/loadgen/peers/process"
	"edgebench/loadgen/peers/tool"
)

var nginxSource = tool.Source{Program: "nginx", Package: "nginx"}

// nginxConfig is one worker that answers a fixed body and keeps connections.
// It is its own master: a worker process would outlive a killed one.
const nginxConfig = `daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log stderr warn;
worker_rlimit_nofile 65536;
events { worker_connections 32768; }
http {
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
  server {
    listen %[2]s backlog=4096;
    location / { default_type text/plain; return 200 "hello\n"; }
  }
}
`

// startNginx starts nginx on a free port of the loopback, its files in folder.
func startNginx(ctx context.Context, binary, folder string, core int) (*process.Server, string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, "", err
	}
	config := filepath.Join(folder, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, folder, address), 0o644); err != nil {
		return nil, "", err
	}
	command := process.Command{Args: []string{binary, "-p", folder, "-c", config, "-e", "stderr"}, Core: core}
	server, err := process.Serve(ctx, command, nil, nil)
	if err != nil {
		return nil, "", err
	}
	waiting, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := server.Reachable(waiting, address); err != nil {
		server.Stop()
		return nil, "", err
	}
	return server, "http://" + address + "/", nil
}

// freeAddress is one that was free a moment ago; nginx cannot tell us of one
// that it chose itself.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
