# doctor FOLDER root|user ARGUMENT...: the doctor of the machine's own loadgen.
main() {
	cd "$1" || return
	as=$2
	shift 2
	if [ "$as" = user ] || [ "$(id -u)" = 0 ]; then
		./bin/loadgen doctor --json "$@"
	else
		sudo -n ./bin/loadgen doctor --json "$@"
	fi
}
main "$@" </dev/null; exit
