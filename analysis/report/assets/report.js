"use strict";
// Draws the charts of a report from the JSON in #data. Without it the page
// still has every number; nothing here computes one.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const plots = [];
  for (const chart of data.charts) {
    const box = document.getElementById("plot-" + chart.id), marks = chart.marks || [];
    const log = chart.log && chart.y.some(column => column.some(v => v > 0));
    plots.push([box, charts.draw(box, { ...chart, log }, [chart.x].concat(chart.y), () => data.bands, () => marks)]);
    if (marks.length) {
      const note = document.createElement("p");
      note.className = "quiet";
      note.textContent = "dashed: " + marks.length + (marks.length === 1 ? " alarm" : " alarms") + " of the policy";
      box.after(note);
    }
  }
  charts.fit(document.getElementById("charts"), plots);
})();
