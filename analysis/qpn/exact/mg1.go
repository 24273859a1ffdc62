package exact

import "edgebench/analysis/qpn/dist"

// MG1 is M/G/1, first come first served: the Pollaczek–Khinchine mean.
func MG1(lambda float64, service dist.Law) (Result, error) {
	r, err := MG1PS(lambda, service)
	if err != nil {
		return Result{}, err
	}
	rho := lambda * service.Mean()
	wait := rho * service.Mean() * (1 + service.SCV()) / (2 * (1 - rho))
	r = result(lambda, service.Mean()+wait, wait)
	if service.SCV() == 1 {
		if _, memoryless := service.(dist.Exponential); memoryless {
			r.Tail = &Tail{P: rho, Rate: 1/service.Mean() - lambda}
		}
	}
	return r, nil
}

// MG1PS is M/G/1 with processor sharing, insensitive to the law of service.
// Nobody waits: sharing shows as a longer service.
func MG1PS(lambda float64, service dist.Law) (Result, error) {
	if err := check("M/G/1", "lambda", lambda, "mean service", service.Mean()); err != nil {
		return Result{}, err
	}
	if err := Load(lambda, 1/service.Mean()); err != nil {
		return Result{}, err
	}
	return result(lambda, service.Mean()/(1-lambda*service.Mean()), 0), nil
}
