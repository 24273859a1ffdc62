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

  // A button a group shows and hides it in every chart of the set.
  function offer(set, drawn) {
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
        for (const plot of drawn) {
          const at = plot.series.findIndex(s => s.label === group.label);
          if (at > 0) plot.setSeries(at, { show });
        }
      });
      box.append(button);
    }
  }

  for (const set of JSON.parse(document.getElementById("data").textContent)) {
    offer(set, set.charts.map(chart => draw(chart, set)));
  }
  charts.fit(document.body, plots);
})();
