package doctor

import "fmt"

var system = []Check{
	{"time-sync", "instants of this host do not line up with those of others; durations are not concerned", timeSync,
		[]Setting{{Unit, "chrony.service", "active"}, {Unit, "ntpsec.service", "active"}, {Unit, "ntp.service", "active"}, {Unit, "systemd-timesyncd.service", "active"}}},
	{"apt-timers", "a package manager that wakes by itself takes CPU, disk and network in the middle of a night", aptTimers,
		[]Setting{{Unit, "apt-daily.timer", "masked"}, {Unit, "apt-daily-upgrade.timer", "masked"}}},
	{"disk", "a run that cannot be written down is not worth its load", disk, nil},
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

func aptTimers(f *Facts) finding {
	if f.Host.AptTimers == "" {
		return finding{OK, "none", ""}
	}
	return finding{Note, f.Host.AptTimers, "for a night: systemctl mask --runtime --now apt-daily.timer apt-daily-upgrade.timer"}
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
