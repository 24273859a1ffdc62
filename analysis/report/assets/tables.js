"use strict";
// Headings of tables sort: a click, or Enter and Space on the focused heading.
// The first time the largest comes first, and then the other way round.
(function () {
  const key = (row, k) => { const v = row.cells[k].dataset.v; return v === undefined ? row.cells[k].textContent : Number(v); };
  function sort(head) {
    const table = head.closest("table"), body = table.tBodies[0], k = head.cellIndex;
    const up = head.getAttribute("aria-sort") === "descending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = Array.from(body.rows).map(row => [key(row, k), row]);
    rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1));
    body.append(...rows.map(([, row]) => row));
  }
  for (const head of document.querySelectorAll(".sortable thead th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }
})();
