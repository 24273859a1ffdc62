package figures

import (
	"bytes"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a picture: a text column of A4, so that 9 points stay 9 points.
const (
	width       = 17 * vg.Centimeter
	panelHeight = 6 * vg.Centimeter
	fontSize    = 9
)

// A Picture is one or more panels above each other, their axes aligned.
type Picture struct {
	panels []*plot.Plot
	tall   float64 // height of a panel in units of panelHeight; 0 is 1
}

func pictureOf(panels ...*plot.Plot) *Picture { return &Picture{panels: panels} }

func (p *Picture) draw(w io.Writer, format string) error {
	tall := p.tall
	if tall == 0 {
		tall = 1
	}
	c, err := draw.NewFormattedCanvas(width, vg.Length(float64(len(p.panels))*tall)*panelHeight, format)
	if err != nil {
		return err
	}
	rows := make([][]*plot.Plot, len(p.panels))
	for i, panel := range p.panels {
		rows[i] = []*plot.Plot{panel}
	}
	tiles := draw.Tiles{
		Rows: len(rows), Cols: 1, PadY: vg.Millimeter * 4,
		PadTop: vg.Millimeter, PadBottom: vg.Millimeter, PadLeft: vg.Millimeter, PadRight: 3 * vg.Millimeter,
	}
	for i, canvases := range plot.Align(rows, tiles, draw.New(c)) {
		rows[i][0].Draw(canvases[0])
	}
	if format != "svg" {
		_, err = c.WriteTo(w)
		return err
	}
	var b bytes.Buffer
	if _, err = c.WriteTo(&b); err == nil {
		_, err = w.Write(withFallbacks(b.Bytes()))
	}
	return err
}

// fontFamily is what the pictures are set in, and what stands in where it is not
// installed: fonts of the same widths, so that no text runs into another.
const fontFamily = "Liberation Sans"

// withFallbacks names them in an SVG file.
func withFallbacks(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:"+fontFamily+";"), []byte("font-family:'"+fontFamily+"',Arimo,Arial,Helvetica,sans-serif;"))
}

// panel is an empty plot in the house style.
func panel(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, s := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		s.Font.Variant, s.Font.Size = "Sans", fontSize
	}
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size, p.Legend.TextStyle.Font.Size = fontSize-1, fontSize-1, fontSize-1
	p.Title.Padding = vg.Millimeter
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	lines := plotter.NewGrid()
	lines.Vertical.Color, lines.Horizontal.Color = faint(grey), faint(grey)
	p.Add(lines)
	p.Legend.Top = true
	p.Legend.ThumbnailWidth = 8 * vg.Millimeter
	p.Legend.Padding = vg.Millimeter / 2
	return p
}
