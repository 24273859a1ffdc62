package node

import (
	"edgebench/target/fitter"
	"edgebench/target/policy"
)

// engine is what the policy's forecasts are fitted with.
func (n *Node) engine() (fitter.Engine, error) {
	if policy.Lookup(n.cfg.Policy).Fitter == policy.Statsmodels {
		return fitter.Statsmodels()
	}
	return fitter.Engine{}, nil
}

// forecast takes an answer of the fitter's, on a goroutine of its own, to the
// reactor's thread. Until then the last target stands.
func (n *Node) forecast(values []float64, err error) {
	n.reactor.Post(func() {
		n.obey(n.pool.Revise(n.now(), n.asking.Revise(values, err)))
	})
}

// fitterEvent is called from goroutines of the fitter.
func (n *Node) fitterEvent(ev fitter.Event) {
	n.events.add(string(ev.Kind), func(o *object) {
		if ev.PID != 0 {
			o.integer("pid", int64(ev.PID))
		}
		if ev.Waited != 0 {
			o.integer("waited_ns", int64(ev.Waited))
		}
		if ev.Err != nil {
			o.text("reason", ev.Err.Error())
		}
	})
}

func (n *Node) fitterStats(o *object) {
	if n.fitter == nil {
		return
	}
	s := n.fitter.Stats()
	o.nest("fitter")
	o.count("answers", s.Answers)
	o.count("refused", s.Refused)
	o.count("late", s.Late)
	o.count("ends", s.Ends)
	o.integer("fit_p50_ns", int64(s.FitP50))
	o.integer("fit_p99_ns", int64(s.FitP99))
	o.close()
}
