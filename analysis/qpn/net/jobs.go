package net

// job is a token in service that ends at a time (for PS at a virtual time).
type job struct {
	at   float64
	slot int32
	tok  int32
}

// jobs is a binary heap, the earliest first.
type jobs []job

func (h *jobs) push(j job) {
	*h = append(*h, j)
	h.up(len(*h)-1, j)
}

// replace exchanges the earliest job for j.
func (h jobs) replace(j job) { h.down(0, j) }

// pop removes the earliest job.
func (h *jobs) pop() { h.remove(0) }

// remove removes job i; the end of the heap takes its place.
func (h *jobs) remove(i int) {
	last := len(*h) - 1
	j := (*h)[last]
	*h = (*h)[:last]
	if i < last {
		h.up(h.down(i, j), j)
	}
}

// up moves j from i towards the front.
func (h jobs) up(i int, j job) {
	for i > 0 {
		above := (i - 1) / 2
		if h[above].at <= j.at {
			break
		}
		h[i] = h[above]
		i = above
	}
	h[i] = j
}

// down moves j from i towards the end and returns where it came to rest.
func (h jobs) down(i int, j job) int {
	for {
		below := 2*i + 1
		if below >= len(h) {
			break
		}
		if right := below + 1; right < len(h) && h[right].at < h[below].at {
			below = right
		}
		if j.at <= h[below].at {
			break
		}
		h[i] = h[below]
		i = below
	}
	h[i] = j
	return i
}
