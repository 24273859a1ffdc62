package export

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"edgebench/analysis/rundir"
)

// rowGroup bounds the memory of a writer: a Parquet file is written a group of
// rows at a time.
const rowGroup = 64 << 10

// Parquet writes the requests of a run as a Parquet file, zstd inside, in groups
// of 65,536 rows.
func Parquet(dir string, w io.Writer) (rundir.ReadNotes, error) {
	out := parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroup), parquet.CreatedBy("edgebench loadgen", "", ""))
	return rows(dir, &parquetSink{w: out, one: make([]Row, 1)})
}

type parquetSink struct {
	w   *parquet.GenericWriter[Row]
	one []Row // the writer copies what it is given
}

func (p *parquetSink) write(r *Row) error {
	p.one[0] = *r
	_, err := p.w.Write(p.one)
	return err
}

func (p *parquetSink) close() error { return p.w.Close() }
