package rundir

import (
	"github.com/klauspost/compress/zstd"
)

// flushRows bounds, with flushAfter, what a killed program loses: a zstd frame
// is readable up to its last flushed block.
const flushRows = 1 << 16

// A SampleWriter streams samples.csv.zst. It belongs to one goroutine and
// compresses in the caller, so that the generator's threads compete with
// nothing they do not know of.
type SampleWriter struct {
	file  *file
	zw    *zstd.Encoder
	row   []byte
	since int // rows since the last flush
	rows  uint64
}

// Samples opens samples.csv.zst of the draft.
func (d *Draft) Samples() (*SampleWriter, error) {
	f, err := d.create(SamplesFile)
	if err != nil {
		return nil, err
	}
	return newSampleWriter(f)
}

func newSampleWriter(f *file) (*SampleWriter, error) {
	zw, err := zstd.NewWriter(f,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20)) // a row resembles the one before it; more window is memory for nothing
	if err != nil {
		return nil, f.keep(err)
	}
	w := &SampleWriter{file: f, zw: zw, row: make([]byte, 0, bufferSize+maxRow)}
	w.row = append(w.row, sampleColumns...)
	w.row = append(w.row, '\n')
	f.finish = func() error {
		w.drain()
		return zw.Close()
	}
	return w, nil
}

// WriteSamples appends one row a sample, in the order given: completion order
// is as good as any, since every row has its index.
func (w *SampleWriter) WriteSamples(samples []Sample) error {
	for i := range samples {
		if len(w.row) >= bufferSize {
			w.drain()
		}
		w.row = appendSample(w.row, &samples[i])
	}
	w.rows += uint64(len(samples))
	if w.since += len(samples); w.since >= flushRows {
		return w.Flush()
	}
	return w.file.err
}

// Rows is the number of rows written so far.
func (w *SampleWriter) Rows() uint64 { return w.rows }

// Flush makes every row so far readable by others. Call it about once a
// second; it costs a compressed block.
func (w *SampleWriter) Flush() error {
	w.since = 0
	w.drain()
	if w.file.err == nil {
		w.file.keep(w.zw.Flush())
	}
	if w.file.err == nil {
		w.file.keep(w.file.w.Flush())
	}
	return w.file.err
}

func (w *SampleWriter) drain() {
	if w.file.err == nil {
		_, err := w.zw.Write(w.row)
		w.file.keep(err)
	}
	w.row = w.row[:0]
}

// Close ends the file and tells the first error it ever had.
func (w *SampleWriter) Close() error { return w.file.Close() }
