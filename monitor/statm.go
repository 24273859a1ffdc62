package monitor

// parseStatm reads the resident pages, the second field of /proc/<pid>/statm.
// The rss field of stat is documented as inaccurate, this one is not.
func parseStatm(path string, text []byte) (pages int64, err error) {
	_, rest := nextField(text)
	field, _ := nextField(rest)
	pages, ok := number(field)
	if !ok {
		return 0, malformed(path, text, "resident pages in field 2")
	}
	return pages, nil
}
