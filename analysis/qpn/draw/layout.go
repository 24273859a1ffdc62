package draw

import (
	"cmp"
	"slices"
)

// layout places the nodes of a graph in layers from left to right, after
// Sugiyama, Tagawa and Toda (1981): arcs that close a cycle are turned round,
// layers are longest paths, arcs over several layers get a bend in each, and the
// order within layers follows the neighbours' mean.
type layout struct {
	spots []spot  // of the nodes, then of the bends
	paths [][]int // of each edge, over spots
	width int     // layers
	depth int     // most spots of a layer
}

// spot is a position: a layer and an order in it.
type spot struct {
	layer int
	row   float64
	bend  bool
}

func arrange(g *graph) *layout {
	l := &layout{spots: make([]spot, len(g.nodes))}
	turned := turnedRound(g)
	l.rank(g, turned)
	l.route(g, turned)
	l.order()
	return l
}

// turnedRound marks the edges that lead back to a node on the way to them.
func turnedRound(g *graph) []bool {
	turned := make([]bool, len(g.edges))
	state := make([]int, len(g.nodes)) // 0 new, 1 on the way, 2 done
	var visit func(n int)
	visit = func(n int) {
		state[n] = 1
		for i, e := range g.edges {
			if e.from != n {
				continue
			}
			switch state[e.to] {
			case 0:
				visit(e.to)
			case 1:
				turned[i] = true
			}
		}
		state[n] = 2
	}
	// Sources first: the picture then starts with the arrivals.
	for _, wantSource := range []bool{true, false} {
		for n := range g.nodes {
			source := !slices.ContainsFunc(g.edges, func(e edge) bool { return e.to == n })
			if state[n] == 0 && source == wantSource {
				visit(n)
			}
		}
	}
	return turned
}

// rank gives each node the length of the longest path to it.
func (l *layout) rank(g *graph, turned []bool) {
	for range g.nodes { // as many rounds as the longest path could need
		for i, e := range g.edges {
			from, to := e.from, e.to
			if turned[i] {
				from, to = to, from
			}
			l.spots[to].layer = max(l.spots[to].layer, l.spots[from].layer+1)
		}
	}
}

// route gives each edge its path of spots.
func (l *layout) route(g *graph, turned []bool) {
	for i, e := range g.edges {
		from, to := e.from, e.to
		if turned[i] {
			from, to = to, from
		}
		path := []int{from}
		for layer := l.spots[from].layer + 1; layer < l.spots[to].layer; layer++ {
			path = append(path, len(l.spots))
			l.spots = append(l.spots, spot{layer: layer, bend: true})
		}
		path = append(path, to)
		if turned[i] {
			slices.Reverse(path)
		}
		l.paths = append(l.paths, path)
	}
}

// order sorts each layer by the mean row of the neighbours, back and forth.
func (l *layout) order() {
	neighbours := make([][]int, len(l.spots))
	for _, path := range l.paths {
		for i := 1; i < len(path); i++ {
			a, b := path[i-1], path[i]
			neighbours[a], neighbours[b] = append(neighbours[a], b), append(neighbours[b], a)
		}
	}
	layers := [][]int{}
	for s, at := range l.spots {
		for len(layers) <= at.layer {
			layers = append(layers, nil)
		}
		layers[at.layer] = append(layers[at.layer], s)
	}
	l.width = len(layers)
	for _, layer := range layers {
		l.depth = max(l.depth, len(layer))
		l.spread(layer)
	}
	for round := range 12 {
		for i := range layers {
			at := i
			if round%2 == 1 {
				at = len(layers) - 1 - i
			}
			mean := func(s int) float64 {
				sum, n := l.spots[s].row, 1.0
				for _, other := range neighbours[s] {
					sum, n = sum+4*l.spots[other].row, n+4
				}
				return sum / n
			}
			slices.SortStableFunc(layers[at], func(a, b int) int { return cmp.Compare(mean(a), mean(b)) })
			l.spread(layers[at])
		}
	}
}

// spread numbers the rows of a layer around 0, bends closer than nodes.
func (l *layout) spread(layer []int) {
	room := func(s int) float64 {
		if l.spots[s].bend {
			return 0.5
		}
		return 1
	}
	total := 0.0
	for _, s := range layer {
		total += room(s)
	}
	at := -total / 2
	for _, s := range layer {
		l.spots[s].row = at + room(s)/2
		at += room(s)
	}
}
