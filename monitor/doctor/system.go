package doctor

import "fmt"

var system = []Check{
	{"time-sync", "instants of this host do not line up with those of others; durations are not concerned", timeSync},
	{"disk", "a run that cannot be written down is not worth its load", disk},
}

func timeSync(f *Facts) finding {
	switch f.Host.TimeSync {
	case "":
		return unknown()
	case "synchronised":
		return finding{OK, f.Host.TimeSync, ""}
	}
	return finding{Note, f.Host.TimeSync, "run chrony or systemd-timesyncd"}
}

func disk(f *Facts) finding {
	if !f.Disk.Valid {
		return unknown()
	}
	found := fmt.Sprintf("%d MB free, about %d MB needed", f.Disk.V/1e6, f.Need.Bytes/1e6)
	if f.Disk.V < f.Need.Bytes {
		return finding{Fail, found, "write elsewhere (--out), or make room"}
	}
	return finding{OK, found, ""}
}
