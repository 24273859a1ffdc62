package live

// A message is a server-sent event.
type message struct {
	name string
	id   uint64
	data []byte // JSON, without a line end in it
	last bool   // nothing comes after it
}

// A viewer is one connection that watches a feed. Messages wait for it in a
// bounded queue; when that is full they are dropped and counted, and the viewer
// gets the whole story again as soon as it reads.
type viewer struct {
	queue  chan message
	missed int // since it last got something
}

// watch adds a viewer; the whole story is the first it gets. missed is how many
// messages it lacks, 0 for one that is new.
func (f *Feed) watch(missed int) *viewer {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := &viewer{queue: make(chan message, queueSize)}
	v.queue <- f.whole(missed)
	f.viewers[v] = struct{}{}
	select {
	case <-f.watched:
	default:
		close(f.watched)
	}
	return v
}

func (f *Feed) leave(v *viewer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.viewers, v)
}

// missedSince is how many messages came after the one of that number.
func (f *Feed) missedSince(id uint64) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id > f.seq {
		return 0 // of another run on the same port
	}
	return int(f.seq - id)
}

// tell offers a message to every viewer and waits for none.
func (f *Feed) tell(m message) {
	for v := range f.viewers {
		select {
		case v.queue <- m:
		default:
			v.missed++
		}
	}
}

// current is what v is to get in place of m, the first of its queue: the whole
// story when something after it was dropped.
func (f *Feed) current(v *viewer, m message) message {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v.missed == 0 {
		return m
	}
	missed := v.missed + len(v.queue)
	for len(v.queue) > 0 {
		<-v.queue
	}
	v.missed = 0
	return f.whole(missed + 1)
}

// whole is the story as a message.
func (f *Feed) whole(missed int) message {
	s := f.story
	s.Seq, s.Missed = f.seq, missed
	s.Groups = map[string]told{}
	for name, g := range s.groups {
		s.Groups[name] = g.tell()
	}
	if n := len(s.Log); n > maxLog {
		s.Log = s.Log[n-maxLog:]
	}
	return message{name: "story", id: f.seq, data: encode(s), last: s.End != nil}
}
