"use strict";
// Draws the charts of a report from the JSON in #data: sets of charts that share
// their cursor. Without it the page still has every number; nothing here computes one.
(function () {
  const plots = [];
  function draw(chart, set) {
    const box = document.getElementById("plot-" + chart.id), marks = chart.marks || [];
    const log = chart.log && chart.y.some(column => column.some(v => v > 0));
    const plot = charts.draw(box, { ...chart, log, set: set.key }, [chart.x].concat(chart.y), () => set.bands, () => marks);
    plots.push([box, plot]);
    if (marks.length) {
      const note = document.createElement("p");
      note.className = "quiet";
      note.textContent = "dashed: " + marks.length + (marks.length === 1 ? " alarm" : " alarms") + " of the policy";
      box.after(note);
    }
    return plot;
  }

  // A button a group shows and hides it in every chart of the set, drawn already
  // or to come.
  function offer(set) {
    const box = document.getElementById("toggles-" + set.key);
    for (const group of set.groups) {
      const button = document.createElement("button"), key = document.createElement("span");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      key.className = group.dash ? "key dash" : "key";
      key.style.setProperty("--own", "var(--" + group.colour + ")");
      button.append(key, group.label);
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(show));
        set.hidden[show ? "delete" : "add"](group.label);
        set.drawn.forEach(plot => display(plot, group.label, show));
      });
      box.append(button);
    }
  }
  function display(plot, label, show) {
    const at = plot.series.findIndex(s => s.label === label);
    if (at > 0) plot.setSeries(at, { show });
  }

  // The page is there before its charts are: the first is drawn at once, then one
  // after the other while nothing else is to be done. Whoever prints gets all.
  const waiting = [];
  for (const set of JSON.parse(document.getElementById("data").textContent)) {
    set.drawn = [];
    set.hidden = new Set();
    offer(set);
    for (const chart of set.charts) {
      waiting.push(() => {
        const plot = draw(chart, set);
        set.drawn.push(plot);
        set.hidden.forEach(label => display(plot, label, false));
      });
    }
  }
  function next() {
    const one = waiting.shift();
    if (one) one();
    if (waiting.length) setTimeout(next);
    else document.body.dataset.charts = plots.length;
  }
  next();
  addEventListener("beforeprint", () => { while (waiting.length) next(); });
  charts.fit(document.body, plots);
})();
