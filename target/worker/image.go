package worker

import (
	"image"

	"golang.org/x/image/draw"
)

// A picture is the image work of the exec runtime: a source and the place of
// its thumbnail. The python runtimes do the same with Pillow.
type picture struct {
	source, thumb *image.RGBA
}

// newPicture draws gradients of which no two rows or columns are alike.
func newPicture() *picture {
	p := &picture{
		source: image.NewRGBA(image.Rect(0, 0, imageWidth, imageHeight)),
		thumb:  image.NewRGBA(image.Rect(0, 0, thumbWidth, thumbHeight)),
	}
	for y := range imageHeight {
		row := p.source.Pix[y*p.source.Stride:]
		for x := range imageWidth {
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = uint8(x*255/imageWidth), uint8(y*255/imageHeight), uint8(x+y), 255
		}
	}
	return p
}

// resize makes the thumbnail; the linear kernel widens with the scale, so every
// pixel of the source counts, as with Pillow's.
func (p *picture) resize() {
	draw.BiLinear.Scale(p.thumb, p.thumb.Bounds(), p.source, p.source.Bounds(), draw.Src, nil)
}
