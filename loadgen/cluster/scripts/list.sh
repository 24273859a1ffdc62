# list FOLDER: sum and path of every file worth fetching. Names that begin with a dot
# are drafts; a batch's store and attempts are its own business.
main() {
	cd "$1" || return
	for part in runs batches jobs; do
		if [ -d "$part" ]; then
			find "$part" \( -name '.?*' -o -name store -o -name attempts \) -prune -o -type f -exec sha256sum {} + || return
		fi
	done
}
main "$@" </dev/null; exit
