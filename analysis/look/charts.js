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
  // curves of label, colour, step, dash and range; data is x and one column a curve,
  // followed by the lower and upper end where the curve has a range. Charts of one
  // set share their cursor.
  // bands and marks return what is behind and over the curves, asked at every
  // drawing.
  function draw(box, chart, data, bands, marks) {
    const axis = { stroke: () => colour("quiet"), grid: { stroke: () => colour("line"), width: 1 }, ticks: { stroke: () => colour("line") } };
    const options = {
      width: box.clientWidth, height, padding: [20, 14, 0, 0],
      cursor: { sync: { key: chart.set || "run" }, drag: { x: true, y: false } },
      scales: {
        x: { time: false },
        y: chart.log ? { distr: 3 } : { range: (u, min, max) => [Math.min(0, min || 0), max > 0 ? max * 1.08 : 1] },
      },
      axes: [
        { ...axis, incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400], values: (u, at) => at.map(clock), space: 60 },
        { ...axis, size: 56, values: (u, ticks) => ticks.map(v => v == null ? "" : short(v)) },
      ],
      series: [{ label: "time", value: (u, v, k, at) => at == null ? "all" : clock(v) }],
      bands: [],
      hooks: { drawClear: [u => drawBands(u, bands())], draw: [u => drawMarks(u, marks())], setSeries: [follow] },
    };
    const ranged = new Set(); // positions of curves whose range comes behind them
    for (const curve of chart.curves) {
      const stroke = () => colour(curve.colour), at = options.series.length;
      options.series.push({
        label: curve.label, width: 1.5, stroke, dash: curve.dash ? [5, 3] : undefined,
        paths: curve.step ? uPlot.paths.stepped({ align: 1 }) : undefined, spanGaps: false,
        // A second with answers between silent ones would draw nothing: show it as a point.
        points: curve.step ? { show: false } : { show: true, size: 4, fill: stroke, filter: alone },
        // Before there is a cursor the legend tells the largest value.
        value: (u, v, k, at) => at == null ? peak(u.data[k], chart.unit) : withUnit(v, chart.unit),
      });
      if (!curve.range) continue;
      ranged.add(at);
      for (const end of ["least", "most"]) {
        options.series.push({ label: curve.label + ", " + end, class: "range", stroke: "transparent", width: 0, points: { show: false } });
      }
      options.bands.push({ series: [at + 2, at + 1], fill: () => colour(curve.colour) + "30" });
    }
    // A range shows and hides with its curve.
    function follow(u, at, change) {
      if (change.show == null || !ranged.has(at)) return;
      for (const end of [at + 1, at + 2]) u.setSeries(end, { show: change.show });
    }
    const plot = new uPlot(options, data, box);
    reachable(box);
    return plot;
  }

  // Names in a legend show and hide their curve: from the keyboard too.
  function reachable(box) {
    for (const name of box.querySelectorAll(".u-legend .u-series:not(:first-child):not(.range) th")) {
      name.tabIndex = 0;
      name.setAttribute("role", "button");
      name.addEventListener("keydown", e => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        name.click();
      });
    }
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
