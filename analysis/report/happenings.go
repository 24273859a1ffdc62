package report

import "time"

// A Happening is something in the course of a batch that a reader of its numbers
// should know of.
type Happening struct {
	At         time.Time
	Kind, Text string
}

// shownHappenings fit on a terminal; the page has them all.
const shownHappenings = 20

func happeningsChapter(all []Happening) chapter {
	t := table{Head: heads(3, "When", "What", "In words"), Fit: true}
	for _, h := range all {
		t.Rows = append(t.Rows, tableRow{Cells: []tableCell{
			labelled(h.At.Local().Format("Mon 15:04:05")), labelled(h.Kind), prose(h.Text),
		}})
	}
	return chapter{
		Title: "The course of the batch", Lead: "Attempts that came to nothing were made again; only committed trials are in the numbers.",
		Tables: []titledTable{{"", t}}, PageOnly: len(all) > shownHappenings,
	}
}
