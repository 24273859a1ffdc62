// Package otlp pushes what package metrics knows of a run to an OpenTelemetry
// collector, by OTLP over HTTP. It is in the program by the build tag otlp alone:
// the exporter brings gRPC with it, megabytes and most of a minute of compiling for
// what few want. Without the tag [Open] says so.
//
// A run never waits for a collector: what cannot be delivered is left out, and the
// next push, of cumulative counts, makes up for it.
package otlp
