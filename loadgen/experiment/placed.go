package experiment

import "edgebench/profiles"

// placed gives the faults of a joined error their places in the profile; of tells
// which key one is about. An error with another one in it stays as it is.
func placed(p *profiles.Profile, err error, of func(one error) (key, message string, ok bool)) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return marked{err, ErrUsage}
	}
	var faults profiles.Faults
	for _, one := range joined.Unwrap() {
		key, message, ok := of(one)
		if !ok {
			return marked{err, ErrUsage}
		}
		faults = append(faults, p.Fault(key, message))
	}
	return faults
}
