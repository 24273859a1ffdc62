# start FOLDER JOB HOW READY ARGV...: start a command line that outlives this login.
# HOW is auto (a systemd unit where sudo asks for no password, else setsid), systemd
# or setsid. READY is text in its log that says it is up. Starting what runs already
# is no error; under other arguments it is.

stamp() { # PID: when it started, which tells it from a later process of that number
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return
	# The name of the program, in parentheses, may hold anything.
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	[ "$1" != Z ] && echo "${20}"
}

running() { # JOB: the process that was recorded for it
	[ -f "$1/pid" ] || return
	read -r pid started boot <"$1/pid" && [ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] && [ "$(stamp "$pid")" = "$started" ]
}

root() { # COMMAND...: as root
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

pause() { sleep 0.1 2>/dev/null || sleep 1; }

main() {
	folder=$(cd "$1" && pwd) || return
	name=$2 how=$3 ready=$4
	shift 4
	job=$folder/jobs/$name
	mkdir -p "$job" || return
	printf '%s\n' "$@" >"$job/argv.new" || return
	if running "$job"; then
		if ! cmp -s "$job/argv" "$job/argv.new"; then
			echo "$name runs already, under other arguments: $(tr '\n' ' ' <"$job/argv")(loadgen cluster stop ends it)" >&2
			return 1
		fi
		echo "state=already"
		return
	fi
	if [ "$how" = auto ]; then
		how=setsid
		if [ -d /run/systemd/system ] && root true 2>/dev/null; then how=systemd; fi
	fi
	mv "$job/argv.new" "$job/argv" && : >"$job/log" || return
	rm -f "$job/pid"
	echo "$how" >"$job/how"
	if [ "$how" = systemd ]; then
		root systemctl reset-failed "edgebench-$name" 2>/dev/null
		root systemd-run --quiet --collect --unit="edgebench-$name" --uid="$(id -u)" --gid="$(id -g)" \
			--property=LimitNOFILE=1048576 --property=KillMode=mixed --property=TimeoutStopSec=30 \
			--property=WorkingDirectory="$folder" --setenv=HOME="$HOME" \
			--property=StandardOutput="append:$job/log" --property=StandardError="append:$job/log" "$@" || return
		pid=$(root systemctl show --property=MainPID --value "edgebench-$name")
	else
		# In a shell without job control the child leads no group, so that setsid
		# needs no fork and the number is the command's own.
		(cd "$folder" && exec setsid "$@") >>"$job/log" 2>&1 </dev/null &
		pid=$!
	fi
	echo "$pid $(stamp "$pid") $(cat /proc/sys/kernel/random/boot_id)" >"$job/pid"
	tries=300
	while running "$job"; do
		if grep -qF -e "$ready" "$job/log"; then
			echo "state=started"
			echo "pid=$pid"
			echo "how=$how"
			return
		fi
		tries=$((tries - 1))
		if [ "$tries" = 0 ]; then
			echo "$name runs, but after 30 s or more its log does not say \"$ready\":" >&2
			tail -n 5 "$job/log" >&2
			return 1
		fi
		pause
	done
	if grep -qF -e "$ready" "$job/log"; then
		echo "state=over"
		return
	fi
	echo "$name ended at once:" >&2
	tail -n 10 "$job/log" >&2
	return 1
}
main "$@" </dev/null; exit
