package slots

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type thing struct {
	Slot[thing]
	name int
}

func newPool() Pool[thing] { return NewPool(func(t *thing) *Slot[thing] { return &t.Slot }) }

// A token finds its holder until that one is given back, and never the next.
func TestTokens(t *testing.T) {
	t.Parallel()
	p := newPool()
	held := map[uint64]*thing{}
	var gone []uint64
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		if len(held) > 0 && random.IntN(5) < 2 {
			for token, x := range held {
				p.Give(&x.Slot)
				delete(held, token)
				gone = append(gone, token)
				break
			}
			continue
		}
		x := p.Take()
		if held[x.Token()] != nil {
			t.Fatalf("token %x was given twice", x.Token())
		}
		held[x.Token()] = x
	}
	for token, x := range held {
		if p.Find(token) != x {
			t.Errorf("token %x is not found", token)
		}
	}
	for _, token := range gone {
		if p.Find(token) != nil {
			t.Errorf("token %x is found after its end", token)
		}
	}
	n := 0
	p.Taken(func(x *thing) { n++; p.Give(&x.Slot) })
	if n != len(held) {
		t.Errorf("%d taken, want %d", n, len(held))
	}
	p.Taken(func(*thing) { t.Error("one is still taken") })
}

func TestList(t *testing.T) {
	t.Parallel()
	p := newPool()
	var l List[thing]
	var model []*thing
	random := rand.New(rand.NewPCG(3, 4))
	for i := range 3000 {
		if len(model) > 0 && random.IntN(2) == 0 {
			k := random.IntN(len(model))
			l.Remove(&model[k].Slot)
			model = slices.Delete(model, k, k+1)
		} else {
			x := p.Take()
			x.name = i
			l.Push(&x.Slot)
			model = append(model, x)
		}
		var want *thing
		if len(model) > 0 {
			want = model[len(model)-1]
		}
		if l.Last() != want {
			t.Fatalf("step %d: the last is %v, want %v", i, l.Last(), want)
		}
	}
	for s, i := l.first, 0; s != nil; s, i = s.next, i+1 {
		if s.item != model[i] {
			t.Fatalf("place %d holds another", i)
		}
	}
}

// Whatever the timeouts, the earliest deadline comes first.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	p := newPool()
	var d Deadlines[thing]
	random := rand.New(rand.NewPCG(5, 6))
	waiting := map[*thing]bool{}
	for now := range int64(3000) {
		x := p.Take()
		d.Add(&x.Slot, now, []int64{10, 500, 70}[random.IntN(3)])
		waiting[x] = true
		if random.IntN(3) == 0 {
			for y := range waiting {
				d.Remove(&y.Slot)
				p.Give(&y.Slot)
				delete(waiting, y)
				break
			}
		}
		least := int64(1 << 62)
		for y := range waiting {
			least = min(least, y.Deadline())
		}
		x, at := d.Earliest()
		if (x == nil) != (len(waiting) == 0) || x != nil && (at != least || x.Deadline() != at) {
			t.Fatalf("at %d: earliest %d, want %d of %d", now, at, least, len(waiting))
		}
		for ; x != nil && at <= now; x, at = d.Earliest() {
			d.Remove(&x.Slot)
			p.Give(&x.Slot)
			delete(waiting, x)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	p := newPool()
	var d Deadlines[thing]
	if n := testing.AllocsPerRun(100, func() {
		x := p.Take()
		d.Add(&x.Slot, 1, 2)
		d.Remove(&x.Slot)
		if p.Find(x.Token()) != x {
			t.Error("not found")
		}
		p.Give(&x.Slot)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
