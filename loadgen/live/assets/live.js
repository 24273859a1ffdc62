"use strict";
// Shows a feed: the whole of it on "story", what is new on "update". Whatever
// came from a target is put into the page as text and never as markup.
(function () {
  const $ = id => document.getElementById(id);
  const query = new URLSearchParams(location.search), name = query.get("show") || "";
  const token = takeToken();
  let source = null, story = null, over = false, may = {}, dirty = false, spoken = 0;

  // The token comes behind the # of the printed address, and lives as long as
  // the tab.
  function takeToken() {
    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (!given) return sessionStorage.getItem("token") || "";
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname + location.search);
    return given;
  }
  const post = path => fetch(path, { method: "POST", headers: token ? { Authorization: "Bearer " + token } : {} });

  function element(tag, text, className) {
    const e = document.createElement(tag);
    if (text != null) e.textContent = text;
    if (className) e.className = className;
    return e;
  }
  function state(text, kind) {
    $("state").textContent = text;
    $("state").className = "state " + (kind || "");
  }
  // say speaks to those who hear the page; not more often than they can listen.
  function say(text, urgent) {
    const now = Date.now();
    if (!urgent && now - spoken < 5000) return;
    spoken = now;
    $("said").textContent = text;
  }

  // Charts: a group, its columns, how they look. See charts.js.
  const curve = (column, label, colour, step, dash) => ({ column, label, colour, step: !!step, dash: !!dash });
  const plans = [
    { id: "rate", title: "Requests per second", unit: "/s", group: "second", curves: [curve("offered", "offered", "blue", true), curve("ok", "ok", "green", true, true), curve("errors", "errors", "red", true), curve("dropped", "dropped", "purple", true), curve("cold", "cold", "orange", true)] },
    { id: "response", title: "Response time", unit: "ms", group: "second", curves: [curve("p50", "p50", "green"), curve("p90", "p90", "blue"), curve("p99", "p99", "orange"), curve("max", "max", "red", false, true)] },
    { id: "pool", title: "Workers by state", unit: "", group: "pool", alarms: true, curves: [curve("busy", "busy", "orange", true), curve("idle", "idle", "green", true), curve("starting", "starting", "purple", true), curve("oneoffs", "one-offs", "red", true), curve("waiting", "requests waiting", "blue", true, true)] },
    { id: "workers", title: "Workers", unit: "", group: "memory", unless: "pool", alarms: true, curves: [curve("workers", "workers", "blue", true)] },
    { id: "inflight", title: "In flight", unit: "", group: "second", curves: [curve("in_flight", "in flight", "blue", true)] },
    { id: "ewma", title: "Rate as the policy sees it", unit: "/s", group: "decision", alarms: true, curves: [curve("rate", "rate", "blue", true), curve("baseline", "EWMA", "orange", true)] },
    { id: "cusum", title: "CUSUM", unit: "", group: "decision", alarms: true, curves: [curve("cusum", "CUSUM", "purple", true)] },
    { id: "memory", title: "Memory of the node", unit: "MB", group: "memory", curves: [curve("pss", "PSS", "blue"), curve("rss", "RSS", "orange", false, true)] },
    { id: "lag", title: "Lag of the generator", unit: "ms", group: "second", curves: [curve("lag_p99", "p99", "blue"), curve("lag_max", "max", "red", false, true)] },
  ];
  const drawn = new Map(), fitted = [];
  const column = (group, name) => {
    const g = story.groups[group];
    return g.values[g.columns.indexOf(name)];
  };
  const known = (group, name) => column(group, name).some(v => v != null);
  const last = (group, name) => {
    const c = column(group, name);
    return c.length ? c[c.length - 1] : null;
  };

  function drawCharts() {
    for (const plan of plans) {
      const wanted = plan.curves.some(c => known(plan.group, c.column)) && !(plan.unless && known(plan.unless, "busy"));
      let at = drawn.get(plan.id);
      if (!wanted) {
        if (at) at.figure.hidden = true;
        continue;
      }
      const data = ["t"].concat(plan.curves.map(c => c.column)).map(c => column(plan.group, c));
      if (!at) {
        const figure = element("figure"), caption = element("figcaption", plan.title + " "), box = element("div", null, "plot");
        caption.append(element("small", plan.unit));
        figure.append(caption, box);
        box.id = "plot-" + plan.id;
        box.setAttribute("role", "img");
        $("plots").append(figure);
        at = { figure, box, plot: charts.draw(box, plan, data, () => story.head ? story.head.bands : [], () => plan.alarms ? story.marks : []) };
        drawn.set(plan.id, at);
        fitted.push([box, at.plot]);
      } else {
        at.figure.hidden = false;
        at.plot.setData(data);
      }
      at.box.setAttribute("aria-label", plan.title + ": " + plan.curves.map(c => c.label + " " + charts.withUnit(last(plan.group, c.column), plan.unit)).join(", "));
    }
    const span = story.groups.second.span;
    $("span").textContent = span > 1 ? "Older points stand for " + span + " s: rates are means, the rest are maxima." : "";
  }

  const count = n => n.toLocaleString("en-US");
  function card(id, title, big, unit, small, trouble) {
    let c = $("card-" + id);
    if (!c) {
      c = element("div", null, "card");
      c.id = "card-" + id;
      c.append(element("h3", title), element("p", "", "big"), element("p", ""));
      (id.startsWith("batch") ? $("counts") : $("cards")).append(c);
    }
    c.className = trouble ? "card trouble" : "card";
    c.children[1].replaceChildren(big, element("small", unit ? " " + unit : ""));
    c.children[2].textContent = small;
  }
  // A time in ms with its unit as people say it.
  const time = v => v == null ? ["–", ""] : v < 1 ? [charts.short(v * 1000), "µs"] : v < 1000 ? [charts.short(v), "ms"] : [charts.short(v / 1000), "s"];
  const spell = v => time(v).join(" ");

  function drawCards() {
    const t = story.totals, s = c => last("second", c), far = story.so_far;
    card("offered", "Offered", charts.short(s("offered")), "/s", count(t.scheduled) + " of " + (story.head ? count(story.head.planned) : "–"));
    card("ok", "Achieved", charts.short(s("ok")), "/s", count(t.ok) + " ok");
    card("inflight", "In flight", charts.short(s("in_flight")), "", "sent and unanswered");
    card("response", "Response p99", ...time(s("p99")), "p50 " + spell(s("p50")) + (far ? "; run p99 " + spell(far.p99) : ""));
    card("lag", "Lag p99", ...time(s("lag_p99")), "max " + spell(s("lag_max")) + (far ? "; run p99 " + spell(far.lag_p99) : ""));
    card("cold", "Cold starts", count(t.cold), "", t.ok ? (100 * t.cold / t.ok).toFixed(1) + " % of ok, by mark" : "by mark");
    card("errors", "Errors", count(t.errors), "", count(t.dropped) + " dropped", t.errors + t.dropped > 0);
    if (known("pool", "busy")) {
      card("workers", "Workers", String(last("pool", "busy") + last("pool", "idle") + last("pool", "oneoffs")), "", last("pool", "busy") + " busy, " + last("pool", "idle") + " idle, " + last("pool", "starting") + " starting");
    } else if (known("memory", "workers")) {
      card("workers", "Workers", charts.short(last("memory", "workers")), "", "");
    }
    if (known("memory", "pss")) card("pss", "Memory, PSS", charts.short(last("memory", "pss")), "MB", "RSS " + charts.withUnit(last("memory", "rss"), "MB"));
    if (known("decision", "rate")) {
      card("ewma", "EWMA", charts.short(last("decision", "baseline")), "/s", "wants " + charts.short(last("decision", "target")) + " workers");
      card("cusum", "CUSUM", charts.short(last("decision", "cusum")), "", story.marks.length + (story.marks.length === 1 ? " alarm" : " alarms"));
    }
  }

  let where = null;
  function drawPhase() {
    if (!story.head) return;
    const h = story.head, at = story.groups.second.values[0].length ? last("second", "t") + 1 : 0;
    const band = h.bands.findLast(b => b.from < at), cycles = h.bands.length ? h.bands[h.bands.length - 1].cycle : 1;
    const phase = !band ? "" : at > h.duration ? "draining" : (cycles > 1 ? "cycle " + band.cycle + " of " + cycles + ", " : "") + "phase " + band.name;
    $("where").textContent = [phase, charts.clock(Math.min(at, h.duration)) + " of " + charts.clock(h.duration)].filter(Boolean).join(" · ");
    $("timeline").lastChild.style.width = Math.min(100, 100 * at / h.duration) + "%";
    $("timeline").setAttribute("aria-label", "phases: " + (phase || "not begun"));
    if (phase && phase !== where) say(phase, true);
    where = phase;
  }
  function drawHead() {
    const h = story.head;
    if (!h) return;
    document.title = h.profile + " · " + h.mode;
    $("title").textContent = h.profile;
    const words = [["policy ", h.mode], ["seed ", h.seed], ["", h.note]].filter(([, v]) => v).map(([k, v]) => element("span", k + v));
    if (h.simulated) words.push(element("span", "simulated", "simulated"));
    $("sub").replaceChildren(...words);
    $("target").textContent = h.target;
    const line = h.bands.map(b => {
      const e = element("span", b.name, b.cold ? "cold" : b.kind);
      e.style.left = 100 * b.from / h.duration + "%";
      e.style.width = 100 * (b.to - b.from) / h.duration + "%";
      return e;
    });
    $("timeline").replaceChildren(...line, element("i"));
  }

  const kinds = { phase: "phases", alarm: "alarms", error: "errors", node: "node", worker: "workers' lives" };
  function filters() {
    for (const [kind, label] of Object.entries(kinds)) {
      const box = element("input"), l = element("label");
      box.type = "checkbox";
      box.checked = kind !== "worker";
      const apply = () => $("log").classList.toggle("no-" + kind, !box.checked);
      box.addEventListener("change", apply);
      apply();
      l.append(box, " " + label);
      $("filters").append(l);
    }
  }
  function addLog(lines, unsaid) {
    const log = $("log"), atEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 8;
    for (const l of lines) {
      const item = element("li", null, l.class);
      item.append(element("time", charts.clock(Math.round(l.t * 10) / 10)), l.text);
      log.append(item);
    }
    if (unsaid) log.append(element("li", "… and " + unsaid + " more, in events.jsonl", "worker"));
    while (log.children.length > 600) log.firstChild.remove();
    if (atEnd) log.scrollTop = log.scrollHeight;
    const alarm = lines.findLast(l => l.class === "alarm" || l.class === "error");
    if (alarm) say(alarm.text);
  }

  // partLink leads to the replay of a trial. It stays the same element while the
  // table is made anew each second, so that it can have the focus again.
  const links = new Map();
  function partLink(id) {
    if (!links.has(id)) {
      const link = element("a", id);
      link.href = "/?show=" + encodeURIComponent((name || may.shows[0].name) + "/" + id);
      links.set(id, link);
    }
    return links.get(id);
  }

  function drawBatch() {
    const b = story.batch, all = b.done + b.failed + b.running + b.to_do;
    document.title = b.name + " · batch";
    $("title").textContent = b.name;
    $("question").textContent = "Stop the batch?";
    $("question").nextElementSibling.textContent = may.stops;
    if (!$("stop").disabled) $("stop").textContent = "Stop the batch";
    card("batch-done", "Done", count(b.done), "of " + count(all), b.invalid + " invalid", b.invalid > 0);
    card("batch-failed", "Failed", count(b.failed), "", "no result", b.failed > 0);
    card("batch-running", "Running", count(b.running), "", count(b.to_do) + " to do");
    card("batch-left", "Left", charts.clock(Math.round(b.left)), "", b.left > 0 ? "end about " + new Date(Date.now() + 1000 * b.left).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "");
    const focused = document.activeElement;
    const bar = $("bar");
    bar.setAttribute("aria-valuemax", all);
    bar.setAttribute("aria-valuenow", b.done + b.failed);
    if (!bar.firstChild) bar.append(element("i"));
    bar.firstChild.style.width = 100 * (b.done + b.failed) / Math.max(1, all) + "%";
    $("trials").replaceChildren(...b.trials.map(t => {
      const row = element("tr", null, t.state + (t.verdict && t.verdict !== "valid" ? " bad" : ""));
      for (const [text, left] of [[t.number], [t.profile, 1], [t.mode, 1], [t.state === "done" ? partLink(t.id) : t.id], [{ claimed: "running", planned: "to do" }[t.state] || t.state, 1], [t.verdict || "–", 1], [t.attempt], [charts.clock(Math.round(t.length))]]) {
        const cell = element("td", null, left ? "l" : "");
        cell.append(text);
        row.append(cell);
      }
      return row;
    }));
    if ($("trials").contains(focused)) focused.focus({ preventScroll: true });
    $("more").textContent = b.unshown ? b.unshown + " further trials are not shown" : "";
  }

  function draw() {
    if (document.hidden) {
      dirty = true;
      return;
    }
    dirty = false;
    state(story.head || story.batch ? "live" : "starting …", "on");
    $("batch").hidden = !story.batch;
    $("run").hidden = !!story.batch;
    if (story.batch) return drawBatch();
    drawPhase();
    drawCards();
    drawCharts();
  }
  document.addEventListener("visibilitychange", () => { if (dirty) draw(), ended(); });

  function ended() {
    if (!story.end) return;
    over = true;
    source.close();
    state("ended");
    $("stop").hidden = true;
    $("end").hidden = false;
    $("end").className = "verdict " + story.end.verdict;
    $("verdict").textContent = story.end.verdict || "ended";
    $("says").textContent = story.end.says;
    say("ended: " + story.end.verdict, true);
  }

  function onStory(event) {
    story = JSON.parse(event.data);
    if (story.missed) say(story.missed + " updates were missed; the page shows the whole again", true);
    $("log").replaceChildren();
    drawHead();
    addLog(story.log, 0);
    draw();
    ended();
  }
  function onUpdate(event) {
    if (!story) return;
    const u = JSON.parse(event.data);
    for (const [name, rows] of Object.entries(u.rows || {})) {
      for (const row of rows) row.forEach((v, k) => story.groups[name].values[k].push(v));
    }
    story.totals = u.totals;
    story.so_far = u.so_far;
    story.marks.push(...(u.marks || []));
    if (u.batch) story.batch = u.batch;
    story.end = u.end || null;
    addLog(u.log || [], u.unsaid);
    draw();
    ended();
    // The server has the whole in fewer points than have gathered here.
    if (!over && story.groups.second.values[0].length > 3000) open();
  }

  function open() {
    if (source) source.close();
    source = new EventSource("/stream?show=" + encodeURIComponent(name));
    source.addEventListener("story", onStory);
    source.addEventListener("update", onUpdate);
    source.addEventListener("error", () => {
      if (!over) state(source.readyState === EventSource.CLOSED ? "refused: too many watch, or it is over" : "connection lost, trying again …", "off");
    });
  }

  async function stop() {
    $("stop").disabled = true;
    $("stop").textContent = "stopping …";
    const answer = await post("/stop");
    if (!answer.ok) {
      $("stop").textContent = await answer.text();
      return;
    }
    say("stopping: no more requests, waiting for open ones", true);
  }

  async function begin() {
    filters();
    charts.fit($("plots"), fitted);
    may = await (await post("/session")).json();
    if (!may.see) {
      state("no access", "off");
      $("sub").textContent = "This page takes the address as loadgen printed it, with its token.";
      return;
    }
    const part = name.includes("/"); // what may be stopped is the batch, on its own page
    $("stop").hidden = !may.stop || part;
    $("stop").addEventListener("click", () => $("ask").showModal());
    $("ask").addEventListener("close", () => { if ($("ask").returnValue === "stop") stop(); });
    if (may.shows.length > 1 || part) {
      $("shows").hidden = false;
      $("shows").replaceChildren(...may.shows.map((show, i) => {
        const link = element("a", show.label);
        link.href = "/?show=" + encodeURIComponent(show.name);
        if (show.name === name || !name && i === 0) link.setAttribute("aria-current", "page");
        return link;
      }));
    }
    open();
  }
  begin().catch(() => state("the server does not answer", "off"));
})();
