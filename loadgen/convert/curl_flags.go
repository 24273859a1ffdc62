package convert

import (
	"maps"
	"slices"
	"strings"
)

// A curlFlag is what one flag of curl means for a profile: do carries it over, or
// why says why not.
type curlFlag struct {
	long     string
	argument bool
	do       func(c *curlLine, w word, on bool)
	why      string
}

// curlCarried are the flags that say something of a request. A name that ends in
// = takes an argument.
var curlCarried = map[string]func(c *curlLine, w word, on bool){
	"--url=": (*curlLine).url, "-X/--request=": (*curlLine).method, "-I/--head": (*curlLine).head, "-G/--get": (*curlLine).get,
	"-H/--header=": (*curlLine).header, "-A/--user-agent=": (*curlLine).userAgent, "-e/--referer=": (*curlLine).referer,
	"-b/--cookie=": (*curlLine).cookie, "-r/--range=": (*curlLine).byteRange, "--compressed": (*curlLine).compressed,
	"-d/--data=": (*curlLine).data, "--data-ascii=": (*curlLine).data, "--data-binary=": (*curlLine).dataBinary,
	"--data-raw=": (*curlLine).dataRaw, "--data-urlencode=": (*curlLine).dataEncoded, "--json=": (*curlLine).json,
	"--url-query=": (*curlLine).urlQuery, "-F/--form=": (*curlLine).form, "--form-string=": (*curlLine).formString,
	"-T/--upload-file=": (*curlLine).upload, "-u/--user=": (*curlLine).user, "--oauth2-bearer=": (*curlLine).bearer,
	"--aws-sigv4=": (*curlLine).sigv4, "-k/--insecure": (*curlLine).insecure, "--cacert=": (*curlLine).ca,
	"-E/--cert=": (*curlLine).cert, "--key=": (*curlLine).key, "-x/--proxy=": (*curlLine).proxy,
	"-U/--proxy-user=": (*curlLine).proxyUser, "--resolve=": (*curlLine).resolve, "--connect-to=": (*curlLine).connectTo,
	"--unix-socket=": (*curlLine).unixSocket, "--abstract-unix-socket=": (*curlLine).abstractSocket,
	"-4/--ipv4": (*curlLine).ipv4, "-6/--ipv6": (*curlLine).ipv6, "-m/--max-time=": (*curlLine).maxTime,
	"--connect-timeout=": (*curlLine).connectTimeout, "-g/--globoff": (*curlLine).globoff, "--path-as-is": (*curlLine).asIs,
	"--request-target=": (*curlLine).requestTarget, "--dns-servers=": (*curlLine).nameServer, "-:/--next": (*curlLine).next,
}

// curlMoot are flags that need nothing: a profile does as they say anyway, or they
// are about curl's output.
const curlMoot = `-#/--progress-bar --no-progress-meter --progress-meter -S/--show-error -s/--silent -v/--verbose
	-i/--include --show-headers -o/--output= -O/--remote-name --remote-name-all -J/--remote-header-name -R/--remote-time --output-dir=
	--create-dirs --create-file-mode= --clobber --no-clobber --skip-existing --remove-on-error -D/--dump-header= -w/--write-out= --stderr=
	--styled-output --suppress-connect-headers --trace= --trace-ascii= --trace-time --trace-ids --trace-config= --xattr -N/--no-buffer --buffer
	-q/--disable --libcurl= --http1.1 --tcp-nodelay -f/--fail --fail-with-body --fail-early --basic -p/--proxytunnel
	--proxy-basic --alpn --npn --sessionid --keepalive -Z/--parallel --parallel-immediate --parallel-max= --parallel-max-host= --raw
	-B/--use-ascii --disallow-username-in-url --proto= --proto-redir= --no-proto-redir --max-filesize= -Y/--speed-limit= -y/--speed-time= --happy-eyeballs-timeout-ms=`

// curlLost are the flags that are not carried over, by the reason.
var curlLost = []struct{ why, flags string }{
	{"redirects are counted (http_3xx), never followed: the second request would be one that nobody scheduled",
		"-L/--location --location-trusted --max-redirs= --post301 --post302 --post303 --follow"},
	{"nothing is sent again: a failed request is a result", "--retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time="},
	{"requests are HTTP/1.1", "-0/--http1.0 --http2 --http2-prior-knowledge --http3 --http3-only --http0.9"},
	{"loadgen knows basic, bearer and sigv4", "--anyauth --digest --negotiate --ntlm --ntlm-wb --proxy-anyauth --proxy-digest --proxy-negotiate --proxy-ntlm --delegation= --service-name= --proxy-service-name= --sasl-authzid= --sasl-ir --login-options= --krb="},
	{"a profile reads credentials from the environment: write ${NAME}", "-n/--netrc --netrc-file= --netrc-optional"},
	{"no cookies are kept from one request to the next: every request is the same", "-c/--cookie-jar= -j/--junk-session-cookies"},
	{"what is in that file is not known here: give its flags on the line", "-K/--config="},
	{"a profile has rates and phases of its own: --rate of convert", "--rate= --limit-rate="},
	{"TLS is as Go has it: 1.2 and 1.3, its own ciphers; a profile has tls: {ca, cert, key, server_name, insecure}",
		"-1/--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tls-max= --ciphers= --tls13-ciphers= --curves= --sigalgs= --ech= -2/--sslv2 -3/--sslv3 --ssl --ssl-reqd --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-revoke-best-effort --ssl-sessions= --false-start --cert-status --cert-type= --key-type= --pass= --pinnedpubkey= --crlfile= --capath= --ca-native --engine= --egd-file= --random-file= --tlsauthtype= --tlspassword= --tlsuser= --tls-earlydata --no-alpn --no-npn --no-sessionid"},
	{"a proxy is http, asked for a tunnel by CONNECT",
		"--socks4= --socks4a= --socks5= --socks5-hostname= --socks5-basic --socks5-gssapi --socks5-gssapi-nec --socks5-gssapi-service= --preproxy= --proxy1.0= --proxy-header= --noproxy= --proxy-cacert= --proxy-capath= --proxy-ca-native --proxy-cert= --proxy-cert-type= --proxy-ciphers= --proxy-crlfile= --proxy-insecure --proxy-key= --proxy-key-type= --proxy-pass= --proxy-pinnedpubkey= --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert --proxy-tls13-ciphers= --proxy-tlsauthtype= --proxy-tlspassword= --proxy-tlsuser= --proxy-tlsv1 --proxy-http2 --haproxy-protocol --haproxy-clientip="},
	{"a profile cannot say it: see target in the README",
		"--interface= --local-port= --dns-interface= --dns-ipv4-addr= --dns-ipv6-addr= --doh-url= --doh-insecure --doh-cert-status --alt-svc= --hsts= --tcp-fastopen --no-keepalive --no-tcp-nodelay --keepalive-time= --keepalive-cnt= --expect100-timeout= --ip-tos= --vlan-priority= --mptcp --ipfs-gateway="},
	{"every request is the same, whatever an earlier answer was", "--etag-compare= --etag-save= -z/--time-cond= -C/--continue-at="},
	{"an answer's body is taken as it comes", "--tr-encoding --ignore-content-length"},
	{"the form is written without it", "--form-escape"},
	{"it is of another protocol than HTTP, or of curl itself",
		"-a/--append --compressed-ssh --crlf --disable-eprt --disable-epsv --eprt --epsv --ftp-account= --ftp-alternative-to-user= --ftp-create-dirs --ftp-method= --ftp-pasv -P/--ftp-port= --ftp-pret --ftp-skip-pasv-ip --ftp-ssl-ccc --ftp-ssl-ccc-mode= --ftp-ssl-control --hostpubmd5= --hostpubsha256= -l/--list-only --mail-auth= --mail-from= --mail-rcpt= --mail-rcpt-allowfails --metalink --proto-default= --pubkey= -Q/--quote= -t/--telnet-option= --tftp-blksize= --tftp-no-options -h/--help= -M/--manual -V/--version --variable= --upload-flags="},
}

// curlFlags is all of them, by "-x" and "--name".
func curlFlags() map[string]curlFlag {
	flags := map[string]curlFlag{}
	add := func(text string, f curlFlag) {
		names, argument := strings.CutSuffix(text, "=")
		f.argument = argument
		all := strings.Split(names, "/")
		f.long = all[len(all)-1]
		for _, name := range all {
			flags[name] = f
		}
	}
	for text, do := range curlCarried {
		add(text, curlFlag{do: do})
	}
	for text := range strings.FieldsSeq(curlMoot) {
		add(text, curlFlag{})
	}
	for _, group := range curlLost {
		for text := range strings.FieldsSeq(group.flags) {
			add(text, curlFlag{why: group.why})
		}
	}
	return flags
}

// longNames are what a mistyped flag may have meant.
func longNames(flags map[string]curlFlag) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(flags)), func(name string) bool { return !strings.HasPrefix(name, "--") })
}
