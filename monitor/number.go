package monitor

import "math"

// number reads an unsigned decimal that fits an int64, the widest that a row
// holds. It takes bytes, because strconv would make a string of each.
func number(text []byte) (int64, bool) {
	if len(text) == 0 {
		return 0, false
	}
	var n int64
	for _, c := range text {
		digit := int64(c) - '0'
		if digit < 0 || digit > 9 || n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}

// nextField splits off the first blank-separated field.
func nextField(text []byte) (field, rest []byte) {
	start := 0
	for start < len(text) && blank(text[start]) {
		start++
	}
	end := start
	for end < len(text) && !blank(text[end]) {
		end++
	}
	return text[start:end], text[end:]
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
