package figures

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// palette is that of Okabe and Ito (Color Universal Design, 2008) without its
// yellow, which is invisible on paper: eight-way distinct for every kind of
// colour vision.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermillion
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky
	{0x00, 0x00, 0x00, 0xff}, // black
}

// dashes tell curves apart where colours do not: in print.
var dashes = [][]vg.Length{
	nil,
	{vg.Points(6), vg.Points(2)},
	{vg.Points(2), vg.Points(2)},
	{vg.Points(8), vg.Points(2), vg.Points(2), vg.Points(2)},
	{vg.Points(12), vg.Points(3)},
}

var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{},
}

// grey is for what stands behind the data.
var grey = color.NRGBA{0x70, 0x70, 0x70, 0xff}

func colour(i int) color.NRGBA { return palette[i%len(palette)] }

// faint is the same colour as a background.
func faint(c color.NRGBA) color.NRGBA {
	c.A = 0x38
	return c
}

func line(i int) draw.LineStyle {
	return draw.LineStyle{Color: colour(i), Width: vg.Points(1.2), Dashes: dashes[i%len(dashes)]}
}

func glyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(i), Radius: vg.Points(2.5), Shape: glyphs[i%len(glyphs)]}
}
