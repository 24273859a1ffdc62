package remote

// limited keeps the beginning, or the tail, of what is written.
type limited struct {
	kept []byte
	most int
	tail bool
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	l.kept = append(l.kept, p...)
	if over := len(l.kept) - l.most; over > 0 {
		l.cut = true
		if l.tail {
			l.kept = append(l.kept[:0], l.kept[over:]...)
		} else {
			l.kept = l.kept[:l.most]
		}
	}
	return len(p), nil
}

func (l *limited) String() string { return string(l.kept) }
