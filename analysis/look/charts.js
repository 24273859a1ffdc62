"use strict";
// Curves over the time of a run, for every page that has some. Nothing here
// computes a number: it draws those it is given.
const charts = (function () {
  const styles = getComputedStyle(document.documentElement);
  const colour = name => styles.getPropertyValue("--" + name).trim();
  const height = 240;

  // One instant as people read it: 75 s is 1:15.
  function clock(seconds) {
    if (seconds == null) return "";
    const sign = seconds < 0 ? "-" : "", s = Math.abs(seconds);
    const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, rest = s % 60;
    const tail = (rest < 10 ? "0" : "") + (Number.isInteger(rest) ? rest : rest.toFixed(1));
    return sign + (h ? h + ":" + (m < 10 ? "0" : "") : "") + m + ":" + tail;
  }
  function short(v) {
    if (v == null) return "–";
    const a = Math.abs(v);
    return a >= 100 || Number.isInteger(v) ? String(Math.round(v)) : a >= 1 ? v.toFixed(1) : String(Number(v.toPrecision(2)));
  }
  function withUnit(v, unit) {
    return v == null ? "–" : short(v) + (unit ? " " + unit : "");
  }
  function peak(column, unit) {
    const largest = column.reduce((most, v) => v != null && (most == null || v > most) ? v : most, null);
    return largest == null ? "–" : "max " + withUnit(largest, unit);
  }

  // Phases behind the curves: measured ones strong, ramps weak, with their
  // names above the plot where there is room.
  function drawBands(u, bands) {
    const ctx = u.ctx, top = u.bbox.top, tall = u.bbox.height, ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, 0, u.bbox.width, top + tall);
    ctx.clip();
    ctx.font = 11 * ratio + "px system-ui, sans-serif";
    ctx.textAlign = "center";
    for (const band of bands) {
      const from = u.valToPos(band.from, "x", true), to = u.valToPos(band.to, "x", true);
      if (band.cold || band.kind === "ramp") {
        ctx.fillStyle = colour(band.cold ? "band-measured" : "band");
        ctx.fillRect(from, top, to - from, tall);
      }
      if (ctx.measureText(band.name).width + 6 * ratio < to - from) {
        ctx.fillStyle = colour("quiet");
        ctx.fillText(band.name, (from + to) / 2, top - 5 * ratio);
      }
    }
    ctx.restore();
  }
  function drawMarks(u, marks) {
    const ctx = u.ctx;
    ctx.save();
    ctx.strokeStyle = colour("red");
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const at of marks) {
      const x = u.valToPos(at, "x", true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x, u.bbox.top + u.bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  // Positions of values that have no neighbour to be joined with.
  function alone(u, k) {
    const v = u.data[k];
    return v.map((_, i) => i).filter(i => v[i] != null && v[i - 1] == null && v[i + 1] == null);
  }

  // draw puts a chart into box and returns uPlot's. chart has unit, log, and
  // curves of label, colour, step and dash; data is x and one column a curve.
  // bands and marks return what is behind and over the curves, asked at every
  // drawing.
  function draw(box, chart, data, bands, marks) {
    const axis = { stroke: () => colour("quiet"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line") } };
    const options = {
      width: box.clientWidth, height, padding: [20, 14, 0, 0],
      cursor: { sync: { key: "run" }, drag: { x: true, y: false } },
      scales: {
        x: { time: false },
        y: chart.log ? { distr: 3 } : { range: (u, min, max) => [Math.min(0, min || 0), max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        { ...axis, incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400], values: (u, at) => at.map(clock), space: 60 },
        { ...axis, size: 56, values: (u, ticks) => ticks.map(v => v == null ? "" : short(v)) },
      ],
      series: [{ label: "time", value: (u, v, k, at) => at == null ? "all" : clock(v) }].concat(chart.curves.map(curve => ({
        label: curve.label, width: 1.5, stroke: () => colour(curve.colour), dash: curve.dash ? [5, 3] : undefined,
        paths: curve.step ? uPlot.paths.stepped({ align: 1 }) : undefined,
        spanGaps: false, points: { show: false },
        // Before there is a cursor the legend tells the largest value.
        value: (u, v, k, at) => at == null ? peak(u.data[k], chart.unit) : withUnit(v, chart.unit),
      }))),
      hooks: { drawClear: [u => drawBands(u, bands())], draw: [u => drawMarks(u, marks())] },
    };
    // A second with answers between silent ones would draw nothing: show it as a point.
    options.series.forEach((s, i) => {
      if (i > 0 && !chart.curves[i - 1].step) s.points = { show: true, size: 4, fill: s.stroke, filter: alone };
    });
    return new uPlot(options, data, box);
  }

  // fit keeps plots as wide as their boxes below root, and in the colours of the
  // scheme. plots are pairs of a box and its plot.
  function fit(root, plots) {
    new ResizeObserver(() => {
      for (const [box, plot] of plots) {
        if (box.clientWidth && box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height });
      }
    }).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.forEach(([, plot]) => plot.redraw(false)));
  }

  return { clock, short, withUnit, draw, fit };
})();
