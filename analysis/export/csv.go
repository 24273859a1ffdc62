package export

import (
	"bufio"
	"io"
	"reflect"
	"strconv"
	"strings"

	"edgebench/analysis/rundir"
)

// CSV writes the requests of a run with a header, in the columns of Row.
func CSV(dir string, w io.Writer) (rundir.ReadNotes, error) {
	c := &csvSink{w: bufio.NewWriterSize(w, 1<<16)}
	c.line = append(c.line, strings.Join(Columns(), ",")...)
	if err := c.end(); err != nil {
		return rundir.ReadNotes{}, err
	}
	return rows(dir, c)
}

// Columns are the names of a row's columns, in order.
func Columns() []string {
	row := reflect.TypeFor[Row]()
	names := make([]string, row.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(row.Field(i).Tag.Get("parquet"), ",")
	}
	return names
}

type csvSink struct {
	w    *bufio.Writer
	line []byte
}

func (c *csvSink) write(r *Row) error {
	c.line = c.line[:0]
	c.number(&r.Index)
	c.text(r.Phase)
	c.number(new(int64(r.Cycle)))
	c.text(r.Function)
	c.text(r.Outcome)
	c.text(r.Drop)
	c.text(r.Path)
	if r.Cold != nil {
		c.line = strconv.AppendBool(c.line, *r.Cold)
	}
	c.line = append(c.line, ',')
	if r.Status != nil {
		c.line = strconv.AppendInt(c.line, int64(*r.Status), 10)
	}
	c.line = append(c.line, ',')
	for _, v := range []*int64{
		&r.ScheduledNS, r.SentNS, r.DoneNS, r.LagNS, r.ConnectNS, r.ServiceNS, r.ResponseNS, &r.Bytes,
		r.Worker, r.QueueNS, r.StartNS, r.InsideNS,
	} {
		c.number(v)
	}
	c.line = c.line[:len(c.line)-1]
	return c.end()
}

func (c *csvSink) number(v *int64) {
	if v != nil {
		c.line = strconv.AppendInt(c.line, *v, 10)
	}
	c.line = append(c.line, ',')
}

// text quotes names that would break a line (RFC 4180).
func (c *csvSink) text(s string) {
	if strings.ContainsAny(s, ",\"\r\n") {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	c.line = append(append(c.line, s...), ',')
}

func (c *csvSink) end() error {
	c.line = append(c.line, '\n')
	_, err := c.w.Write(c.line)
	return err
}

func (c *csvSink) close() error { return c.w.Flush() }
