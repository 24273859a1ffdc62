# place FOLDER UPLOAD PATH SUM MODE: check an uploaded file and give it its name, so
# that whoever starts it, now or during the move, gets the old one or the new, whole.
main() {
	cd "$1" || return
	upload=$2 path=$3 want=$4 mode=$5
	sum=$(sha256sum <"$upload") || return
	if [ "${sum%% *}" != "$want" ]; then
		rm -f "$upload"
		echo "$upload arrived with sha256 ${sum%% *}, want $want" >&2
		return 1
	fi
	chmod "$mode" "$upload" && { sync "$upload" 2>/dev/null || sync; } && mv -f "$upload" "$path"
}
main "$@" </dev/null; exit
