package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A panel is a plot with its keys in lines of their own above the data: a key
// inside of the plot hides some of it sooner or later.
type panel struct {
	*plot.Plot
	keys []key
}

// A key names what is drawn; marks show how.
type key struct {
	label string
	marks []plot.Thumbnailer
}

// Measures of a line of keys.
const (
	keyMark   = 8 * vg.Millimeter
	keyGap    = vg.Millimeter
	keySpace  = 5 * vg.Millimeter
	keyHeight = 3.8 * vg.Millimeter
)

// newPanel is an empty panel in the house style.
func newPanel(title, x, y string) *panel {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, s := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		s.Font.Variant, s.Font.Size = "Sans", fontSize
	}
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size, p.Legend.TextStyle.Font.Size = fontSize-1, fontSize-1, fontSize-1
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{8}, roundTicks{6}
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = faint(grey), faint(grey)
	p.Add(lines)
	return &panel{Plot: p}
}

// key adds a name to the lines above the data.
func (p *panel) key(label string, marks ...plot.Thumbnailer) {
	p.keys = append(p.keys, key{label, marks})
}

// finish leaves air above the data, so that the tops of bars and whiskers show.
func (p *panel) finish() {
	const air = 0.05
	if _, log := p.Y.Scale.(plot.LogScale); log {
		return
	}
	if p.Y.Max > p.Y.Min {
		p.Y.Max += air * (p.Y.Max - p.Y.Min)
	}
}

// width is what a key takes, the space after it left out.
func (p *panel) width(k key) vg.Length {
	return keyMark + keyGap + p.Legend.TextStyle.Rectangle(k.label).Size().X
}

// lines breaks the keys into lines of at most that width.
func (p *panel) lines(width vg.Length) (lines [][]key) {
	var used vg.Length
	for _, k := range p.keys {
		w := p.width(k)
		if len(lines) == 0 || used+keySpace+w > width {
			lines, used = append(lines, nil), -keySpace
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], k)
		used += keySpace + w
	}
	return lines
}

// reserve keeps room for the keys between title and data, and tells how much.
func (p *panel) reserve(width vg.Length) vg.Length {
	height := vg.Length(len(p.lines(width))) * keyHeight
	if height > 0 && p.Title.Text == "" {
		p.Title.Text = " " // a plot without a title has no room below it
	}
	p.Title.Padding = vg.Millimeter + height
	return height
}

// drawKeys writes the keys below the title, flush with the data.
func (p *panel) drawKeys(c draw.Canvas, width vg.Length) {
	style := p.Legend.TextStyle
	style.YAlign = draw.YCenter
	left := p.DataCanvas(c).Min.X
	y := c.Max.Y - p.Title.TextStyle.Rectangle(p.Title.Text).Size().Y - vg.Millimeter/2 - keyHeight/2
	for _, line := range p.lines(width) {
		x := left
		for _, k := range line {
			mark := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - keyHeight*0.36}, Max: vg.Point{X: x + keyMark, Y: y + keyHeight*0.36},
			}}
			for _, m := range k.marks {
				m.Thumbnail(&mark)
			}
			c.FillText(style, vg.Point{X: x + keyMark + keyGap, Y: y}, k.label)
			x += p.width(k) + keySpace
		}
		y -= keyHeight
	}
}
