"""The frame of the HTML report: its styles, and the readout under the pointer."""

PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
:root {
  color-scheme: light dark;
  --bg: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5c6776; --line: #dfe3e9;
  --old: #3b82f6; --new: #c2410c; --apart: #6d28d9; --limit: #94a3b8;
  --good: #15803d; --bad: #b91c1c; --warn: #a16207;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #12161c; --card: #1a2029; --ink: #e5e9ef; --soft: #9aa6b5; --line: #2c3542;
    --old: #60a5fa; --new: #fb923c; --apart: #a78bfa; --limit: #64748b;
    --good: #4ade80; --bad: #f87171; --warn: #facc15;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
header { background: var(--card); border: 1px solid var(--line); border-left: 6px solid var(--tone);
  border-radius: 10px; padding: 18px 22px; }
header p { margin: 4px 0 0; overflow-wrap: anywhere; }
header.equal { --tone: var(--good); }
header.different { --tone: var(--bad); }
header.incomplete, header.incomparable { --tone: var(--warn); }
.verdict { color: var(--tone); font-size: 26px; font-weight: 700; line-height: 1.2; }
.finding { font-weight: 600; }
.runs { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 18px 4px; }
.runs dt { color: var(--soft); }
.runs dd { margin: 0; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13.5px;
  overflow-wrap: anywhere; }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 8px 14px; color: var(--soft); font-size: 13px; }
.tile b { display: block; color: var(--ink); font-size: 19px; font-variant-numeric: tabular-nums; }
section { margin-top: 30px; }
h2 { font-size: 17px; margin: 0 0 10px; }
details, .scroll, pre { background: var(--card); border: 1px solid var(--line);
  border-radius: 10px; }
details { margin-bottom: 8px; }
summary { padding: 10px 16px; cursor: pointer; }
summary span { color: var(--soft); font-size: 13.5px; margin-left: 6px; }
summary em { float: right; font-style: normal; font-size: 13.5px; }
.good { color: var(--good); } .bad { color: var(--bad); }
figure { margin: 0; padding: 0 12px 10px; }
figcaption { color: var(--soft); font-size: 13px; padding-left: 66px; min-height: 22px; }
figcaption output { float: right; color: var(--ink); font-variant-numeric: tabular-nums; }
.key { display: inline-block; width: 22px; height: 0; margin: 0 6px 4px 10px;
  border-top: 3px solid; vertical-align: middle; }
dt .key { margin-left: 0; }
.key.old { border-color: var(--old); border-width: 6px; opacity: .55; }
.key.new { border-color: var(--new); border-width: 2px; }
.key.apart { border-color: var(--apart); border-width: 2px; }
.key.limit { border-color: var(--limit); border-style: dashed; border-width: 2px; }
.plot { display: block; width: 100%; height: auto; }
.plot text { fill: var(--soft); font-size: 12px; font-family: inherit; }
.plot .frame { fill: none; stroke: var(--line); }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot path { fill: none; stroke-linejoin: round; }
.plot .old { stroke: var(--old); stroke-width: 6; opacity: .45; }
.plot .new { stroke: var(--new); stroke-width: 1.8; }
.plot .apart { stroke: var(--apart); stroke-width: 1.6; }
.plot .limit { stroke: var(--limit); stroke-width: 1.4; stroke-dasharray: 6 4; }
.plot .outside { fill: var(--bad); }
.plot line.first { stroke: var(--bad); stroke-dasharray: 3 3; }
.plot text.first { fill: var(--bad); }
.plot .cursor { stroke: var(--soft); stroke-width: 1; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; min-width: 680px; font-size: 14px; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: 12.5px; }
th, td { padding: 7px 14px; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; }
td { overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.w { white-space: nowrap; }
.departs td { color: var(--bad); }
td small { display: block; color: var(--soft); }
.kind { border: 1px solid var(--line); border-radius: 5px; padding: 1px 7px; font-size: 12.5px;
  white-space: nowrap; }
.bar { height: 9px; border-radius: 3px; min-width: 1px; margin-top: 5px; }
.bar.old { background: var(--old); } .bar.new { background: var(--new); }
pre { padding: 14px 18px; overflow-x: auto; font-size: 13px; margin: 0; }
.more { color: var(--soft); }
</style>
</head>
<body>
<main>{{body}}</main>
<script>
for (const plot of document.querySelectorAll("svg.plot")) {
  const points = JSON.parse(plot.dataset.points);
  const cursor = plot.querySelector(".cursor");
  const output = plot.parentNode.querySelector("output");
  plot.addEventListener("pointermove", (event) => {
    if (!points.length) return;
    const box = plot.getBoundingClientRect();
    const at = (event.clientX - box.left) * plot.viewBox.baseVal.width / box.width;
    const near = points.reduce((a, b) => Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a);
    cursor.setAttribute("x1", near[0]);
    cursor.setAttribute("x2", near[0]);
    cursor.setAttribute("visibility", "visible");
    const apart = Math.abs(near[3] - near[2]);
    output.textContent = `step ${near[1]}: OLD ${near[2]}, NEW ${near[3]}` +
      (isFinite(apart) ? `, apart ${apart.toPrecision(3)}` : "");
  });
  plot.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    output.textContent = "";
  });
}
</script>
</body>
</html>
"""
