package figures

import (
	"bytes"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes of a picture: as wide as a page's text it is set in large type, and in a
// column of two (8.5 cm) still in 6.7 points.
const (
	width       = 12 * vg.Centimeter
	panelHeight = 4.6 * vg.Centimeter
	fontSize    = 9.5
	keysWidth   = width - 1.8*vg.Centimeter // without the axis
)

// A Picture is one or more panels above each other, their axes aligned.
type Picture struct {
	panels []*panel
	tall   float64 // height of a panel in units of panelHeight
}

func pictureOf(panels ...*panel) *Picture { return tallPicture(1, panels...) }

// tallPicture has panels of another height, in units of panelHeight.
func tallPicture(tall float64, panels ...*panel) *Picture {
	for _, p := range panels {
		p.finish()
	}
	return &Picture{panels: panels, tall: tall}
}

func (p *Picture) draw(w io.Writer, format string) error {
	height := vg.Length(float64(len(p.panels))*p.tall) * panelHeight
	rows := make([][]*plot.Plot, len(p.panels))
	for i, panel := range p.panels {
		height += panel.reserve(keysWidth)
		rows[i] = []*plot.Plot{panel.Plot}
	}
	c, err := canvas(height, format)
	if err != nil {
		return err
	}
	tiles := draw.Tiles{
		Rows: len(rows), Cols: 1, PadY: vg.Millimeter * 4,
		PadTop: vg.Millimeter, PadBottom: vg.Millimeter, PadLeft: vg.Millimeter, PadRight: 3 * vg.Millimeter,
	}
	for i, canvases := range plot.Align(rows, tiles, draw.New(c)) {
		p.panels[i].Draw(canvases[0])
		p.panels[i].drawKeys(canvases[0], keysWidth)
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

// canvas is an empty one; a PNG has the resolution that printers ask for.
func canvas(height vg.Length, format string) (vg.CanvasWriterTo, error) {
	if format == "png" {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(300))}, nil
	}
	return draw.NewFormattedCanvas(width, height, format)
}

// fontFamily is what the pictures are set in, and what stands in where it is not
// installed: fonts of the same widths, so that no text runs into another.
const fontFamily = "Liberation Sans"

// withFallbacks names them in an SVG file.
func withFallbacks(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:"+fontFamily+";"), []byte("font-family:'"+fontFamily+"',Arimo,Arial,Helvetica,sans-serif;"))
}
