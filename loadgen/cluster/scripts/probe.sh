# probe FOLDER PROGRAM...: what the machine is, and which programs it has, by sum.
main() {
	folder=$1
	shift
	mkdir -p "$folder/bin" || return
	find "$folder/bin" -name '.upload-*' -mtime +0 -exec rm -f {} + # of pushes that broke off
	echo "system=$(uname -s)"
	echo "machine=$(uname -m)"
	echo "free_kb=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')"
	for program; do
		if [ -f "$folder/bin/$program" ]; then
			sum=$(sha256sum <"$folder/bin/$program") || return
			echo "sum_$program=${sum%% *}"
		fi
	done
}
main "$@" </dev/null; exit
