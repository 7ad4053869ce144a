"""The report's HTML, style and script; `@@…@@` are filled in by `report`."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@@TITLE@@</title>
<style>
:root { color-scheme: light; --ink: #1d2329; --faint: #66707a; --rule: #d9dee3; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 1.5rem; color: var(--ink);
  background: #fff; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.faint, figcaption { color: var(--faint); }
.bar { display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap; margin-bottom: .5rem; }
input { font: inherit; padding: .25rem .5rem; border: 1px solid var(--rule);
  border-radius: 4px; min-width: 16rem; }
#timeline { width: 100%; display: block; border: 1px solid var(--rule); cursor: grab;
  touch-action: none; }
#tip { position: fixed; display: none; pointer-events: none; background: var(--ink);
  color: #fff; padding: .3rem .5rem; border-radius: 4px; font-size: 13px;
  max-width: 40rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--rule); }
td:first-child { overflow-wrap: anywhere; min-width: 14rem; }
th.number, td.number { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
tr.hit td { background: #fff3c4; }
figure { margin: 0 0 1rem; }
svg { width: 100%; height: 90px; border: 1px solid var(--rule); display: block; }
</style>
</head>
<body>
<h1>@@TITLE@@</h1>
<p class="faint">@@SUMMARY@@</p>

<h2>Time line</h2>
<div class="bar">
  <input id="search" type="search" placeholder="Mark ops by name or type"
    aria-label="Mark ops by name or type">
  <span class="faint">Wheel: zoom. Drag: move. Double click: everything. @@NOTE@@</span>
</div>
<canvas id="timeline"></canvas>
<div id="tip"></div>

<h2>Memory</h2>
@@MEMORY@@

<h2>Costliest ops</h2>
<div class="scroll"><table id="ops">
<thead><tr><th>Op</th><th>Type</th><th>Device</th><th class="number">Total µs</th>
<th class="number">Self µs</th><th class="number">Count</th><th class="number">Share</th></tr>
</thead>
<tbody>
@@TABLE@@
</tbody></table></div>

<script id="data" type="application/json">@@DATA@@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("timeline");
const tip = document.getElementById("tip");
const search = document.getElementById("search");
const LANE = 18, TITLE = 20, AXIS = 22;

let first = Infinity, last = -Infinity, height = AXIS;
for (const row of data.rows) {
  row.top = height + TITLE;
  height = row.top + row.lanes * LANE + 6;
  for (const bar of row.bars) {
    first = Math.min(first, bar[0]);
    last = Math.max(last, bar[0] + bar[1]);
  }
}
if (first === Infinity) { first = 0; last = 1; }
const full = Math.max(last - first, 0.001);
let from = first, span = full;

function colour(text) {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
  return `hsl(${hash} 45% 62%)`;
}
const colours = data.names.map(colour);

function draw() {
  const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const scale = width / span;
  drawAxis(pen, width, scale);
  const wanted = search.value.trim().toLowerCase();
  let drawn = 0;
  for (const row of data.rows) {
    pen.fillStyle = "#66707a";
    pen.fillText(row.title, 4, row.top - TITLE / 2);
    for (const bar of row.bars) {
      const x = (bar[0] - from) * scale, w = Math.max(bar[1] * scale, 1);
      if (x > width || x + w < 0) continue;
      const y = row.top + bar[2] * LANE, name = data.names[bar[3]], type = data.names[bar[4]];
      const hit = wanted && (name + " " + type).toLowerCase().includes(wanted);
      pen.globalAlpha = wanted && !hit ? 0.25 : 1;
      pen.fillStyle = hit ? "#d9a400" : colours[bar[4]];
      pen.fillRect(x, y, w, LANE - 2);
      if (w > 40) {
        pen.save();
        pen.beginPath();
        pen.rect(x, y, w, LANE - 2);
        pen.clip();
        pen.fillStyle = "#1d2329";
        pen.fillText(type + "  " + name, Math.max(x, 0) + 3, y + LANE / 2 - 1);
        pen.restore();
      }
      drawn++;
    }
    pen.globalAlpha = 1;
  }
  canvas.dataset.drawn = drawn;
}

function drawAxis(pen, width, scale) {
  let step = Math.pow(10, Math.floor(Math.log10(span / 4)));
  while (span / step > 10) step *= span / step > 20 ? 5 : 2;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  pen.strokeStyle = "#eceff2";
  pen.fillStyle = "#66707a";
  for (let t = Math.ceil((from - first) / step) * step; t <= from - first + span; t += step) {
    const x = (t + first - from) * scale;
    pen.beginPath();
    pen.moveTo(x, AXIS);
    pen.lineTo(x, height);
    pen.stroke();
    pen.fillText(t.toFixed(digits) + " µs", x + 3, AXIS / 2);
  }
}

function at(event) {
  const box = canvas.getBoundingClientRect();
  const time = from + (event.clientX - box.left) / canvas.clientWidth * span;
  const slack = span / canvas.clientWidth;
  const y = event.clientY - box.top;
  for (const row of data.rows) {
    const lane = Math.floor((y - row.top) / LANE);
    if (lane < 0 || lane >= row.lanes) continue;
    for (const bar of row.bars) {
      if (bar[2] === lane && time >= bar[0] && time <= bar[0] + Math.max(bar[1], slack)) return bar;
    }
  }
  return null;
}

function move(newFrom, newSpan) {
  span = Math.min(Math.max(newSpan, 0.01), full);
  from = Math.min(Math.max(newFrom, first), first + full - span);
  draw();
}

let dragging = null;
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  const part = (event.clientX - canvas.getBoundingClientRect().left) / canvas.clientWidth;
  const zoomed = Math.min(span * Math.pow(1.0015, event.deltaY), full);
  move(from + (span - zoomed) * part, zoomed);
}, {passive: false});
canvas.addEventListener("pointerdown", event => {
  dragging = {x: event.clientX, from};
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointerup", () => { dragging = null; });
canvas.addEventListener("pointermove", event => {
  if (dragging) {
    move(dragging.from - (event.clientX - dragging.x) / canvas.clientWidth * span, span);
    return;
  }
  const bar = at(event);
  tip.style.display = bar ? "block" : "none";
  if (bar) {
    tip.textContent = data.names[bar[4]] + "  " + data.names[bar[3]] + "\\n"
      + bar[1].toFixed(3) + " µs, from " + (bar[0] - first).toFixed(3) + " µs";
    tip.style.whiteSpace = "pre-wrap";
    tip.style.left = Math.min(event.clientX + 12, window.innerWidth - 300) + "px";
    tip.style.top = event.clientY + 14 + "px";
  }
});
canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
canvas.addEventListener("dblclick", () => move(first, full));
search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  for (const row of document.querySelectorAll("#ops tbody tr")) {
    row.classList.toggle("hit", wanted !== "" && row.textContent.toLowerCase().includes(wanted));
  }
  draw();
});
window.addEventListener("resize", draw);
draw();
</script>
</body>
</html>
"""
