package reactor

import "errors"

// Follow gives r another loop, with a thread and a handler of its own. r accepts
// every connection and hands each to the loop that has the fewest, so that all
// share the load evenly, however few connections there are: with a listener for
// each, the kernel would spread them by a hash. A request is served on its loop's
// thread; Complete, called on r, finds the way back. Post and AfterFunc of r are
// those of its own thread. Follow belongs before Run, on a reactor that leads.
func (r *Reactor) Follow(handler Handler) error {
	f, err := New(r.config, handler)
	if err != nil {
		return err
	}
	f.loopID = uint32(len(r.loops))
	r.loops = append(r.loops, f)
	return nil
}

// followers are the loops that r leads; a follower leads none.
func (r *Reactor) followers() []*Reactor { return r.loops[1:] }

// emptiest is the loop with the fewest connections; of several the first, since
// the thread that leads has most to do with what they ask.
func (r *Reactor) emptiest() *Reactor {
	best := r
	for _, f := range r.followers() {
		if f.open() < best.open() {
			best = f
		}
	}
	return best
}

// lead starts the followers. r outlives them: what answers their requests may
// live on its thread, and one that fails ends them all.
func (r *Reactor) lead() {
	r.following = len(r.followers())
	for _, f := range r.followers() {
		r.threads.Go(func() {
			err := f.live()
			r.Post(func() {
				r.following--
				if err != nil {
					r.failure = errors.Join(r.failure, err)
					r.drain()
				}
			})
		})
	}
}

// dismiss cuts what followers there still are, and waits for them.
func (r *Reactor) dismiss() {
	for _, f := range r.followers() {
		f.Post(func() { f.draining, f.cut = true, true })
	}
	r.threads.Wait()
}
