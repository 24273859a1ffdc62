# stop FOLDER JOB GRACE: end what start started, and only that: the process it
# recorded, told from a later one of the same number by when it started, and its
# session. It gets SIGTERM and GRACE seconds to end in order, then SIGKILL.

stats() { # PATTERN: fields of stat, the name left out: it may hold anything
	# shellcheck disable=SC2086 # a pattern
	cat $1 2>/dev/null | awk '{ pid = $1; sub(/^.*\) /, ""); if ($1 != "Z" && $1 != "X") print pid, $0 }'
}

members() { # SESSION: its processes
	stats '/proc/[0-9]*/stat' | awk -v session="$1" '$5 == session { print $1 }'
}

ours() { # FOLDER: processes of its programs, whoever started them
	# shellcheck disable=SC2012 # the names in question are ours
	ls -l /proc/[0-9]*/exe 2>/dev/null | awk -v at=" -> $1/bin/" '(i = index($0, at)) {
		split($0, part, "/proc/"); sub("/exe.*", "", part[2])
		print "left=" substr($0, i + length(at)) " (" part[2] ")"
	}'
}

root() { # COMMAND...: as root
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

pause() { sleep 0.1 2>/dev/null || sleep 1; }

end() { # SESSION GRACE: fails where SIGTERM did not do
	kill -TERM "$1" 2>/dev/null
	tries=$(($2 * 10)) forced=0
	while left=$(members "$1") && [ -n "$left" ]; do
		if [ "$tries" -le 0 ]; then
			forced=1
			# shellcheck disable=SC2086
			kill -KILL $left 2>/dev/null
			[ "$tries" -lt -50 ] && break # nothing ends what the kernel holds
		fi
		tries=$((tries - 1))
		pause
	done
	return "$forced"
}

main() {
	folder=$(cd "$1" 2>/dev/null && pwd) || { echo "state=absent"; return 0; }
	name=$2 grace=$3
	job=$folder/jobs/$name
	state=absent
	if [ -f "$job/pid" ]; then
		read -r pid started boot <"$job/pid"
		now=$(stats "/proc/$pid/stat" | awk '{ print $21 }')
		if [ "$boot" != "$(cat /proc/sys/kernel/random/boot_id)" ]; then
			state=absent # the machine was started anew
		elif [ "$(cat "$job/how")" = systemd ]; then
			[ "$now" = "$started" ] && state=stopped
			root systemctl stop "edgebench-$name" 2>/dev/null
		elif [ -z "$now" ] || [ "$now" = "$started" ]; then
			# The number is that process's, or nobody's: then only its session can hold it.
			[ -n "$(members "$pid")" ] && state=stopped
			end "$pid" "$grace" || state=killed
		fi
		rm -f "$job/pid" "$job/how"
	fi
	echo "state=$state"
	ours "$folder"
}
main "$@" </dev/null; exit
