package rundir

import "strconv"

// sampleColumns of samples.csv. Instants are kept as differences, because they
// are what people look for and a quarter of the bytes: sent = scheduled + lag +
// connect wait, done = scheduled + response, service time = done − sent. A field
// is empty where the request never came that far.
const sampleColumns = "index,phase,outcome,drop,path,cold,status,scheduled_ns,lag_ns,response_ns,bytes," +
	"worker,node_queue_wait_ns,node_start_wait_ns,node_service_ns,function,connect_wait_ns"

const numSampleColumns = 17

// maxRow bounds the bytes of one row: 12 numbers of at most 20 digits, names, commas.
const maxRow = 360

var markNames = [...]string{MarkNone: "", MarkNo: "no", MarkYes: "yes"}

// appendSample writes one row. Zeros of the node's own columns stay empty: most
// targets tell none of them.
func appendSample(b []byte, s *Sample) []byte {
	b = strconv.AppendUint(b, s.Index, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, int64(s.Phase), 10)
	b = append(b, ',')
	b = append(b, s.Outcome.String()...)
	b = append(b, ',')
	b = append(b, s.Drop.String()...)
	b = append(b, ',')
	b = append(b, s.Path.String()...)
	b = append(b, ',')
	b = append(b, markNames[s.Cold]...)
	b = append(b, ',')
	b = appendNonZero(b, int64(s.Status))
	b = append(b, ',')
	b = strconv.AppendInt(b, s.Scheduled, 10)
	b = append(b, ',')
	if s.Outcome != Dropped {
		b = strconv.AppendInt(b, s.Lag(), 10)
	}
	b = append(b, ',')
	if s.Outcome != Dropped && s.Outcome != OpenAtEnd {
		b = strconv.AppendInt(b, s.Done-s.Scheduled, 10)
	}
	b = append(b, ',')
	b = appendNonZero(b, s.Bytes)
	b = append(b, ',')
	b = appendNonZero(b, s.Worker)
	b = append(b, ',')
	b = appendNonZero(b, s.QueueWaitNS)
	b = append(b, ',')
	b = appendNonZero(b, s.StartWaitNS)
	b = append(b, ',')
	b = appendNonZero(b, s.ServiceNS)
	b = append(b, ',')
	b = appendNonZero(b, int64(s.Function))
	b = append(b, ',')
	b = appendNonZero(b, s.ConnectWaitNS)
	return append(b, '\n')
}

func appendNonZero(b []byte, v int64) []byte {
	if v == 0 {
		return b
	}
	return strconv.AppendInt(b, v, 10)
}
