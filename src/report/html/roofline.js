// Operations a second against operations per byte (S. Williams et al., "Roofline", 2009): of one definition, the best
// time of each workload. The bound of each record is drawn, not a roof of the machine: it knows dtype and caches.
const drawRoofline = () => {
  const place = byId("roofline"), body = make("div");
  const known = rows.filter((row) => row.passed && row.flops > 0 && row.bytes > 0 && row.median_ns > 0);
  if (known.length === 0)
    return place.append(make("p", {class: "faint"}, "No record says how many operations and bytes a call takes."));
  if (!known.some((row) => row.bound_ns > 0))
    return place.append(make("p", {class: "faint"}, "No record knows what its machine could do at best: kbench doctor --measure measures that for later runs."));
  let chosen = everything;
  const redraw = (subject) => {
    chosen = subject;
    const of = known.filter((row) => subject === everything || row.subject === subject);
    const best = [...groupBy(of, (row) => `${row.subject} ${row.workload}`).values()]
      .map((same) => same.reduce((a, b) => (b.median_ns < a.median_ns ? b : a)));
    const intensity = (row) => row.flops / row.bytes, rate = (row, ns) => (row.flops / ns) * 1e9;
    const rates = best.flatMap((row) => [rate(row, row.median_ns), ...(row.bound_ns > 0 ? [rate(row, row.bound_ns)] : [])]);
    const xs = bounds(best.map(intensity)), ys = bounds(rates);
    const x = logScale(xs[0] / 1.3, xs[1] * 1.3, ...xRange()), y = logScale(ys[0] / 1.5, ys[1] * 1.5, ...yRange);
    const svg = makePlot("Operations a second against operations per byte", x, y, (value) => String(value),
                         (value) => rateText(value, "op/s"), "operations per byte", "operations a second");
    const names = [...new Set(best.map((row) => row.subject))];
    for (const row of best) {
      const px = x(intensity(row));
      const colour = seriesColour(names.indexOf(row.subject));
      if (row.bound_ns > 0) {
        const py = y(rate(row, row.bound_ns));
        svg.append(draw("line", {x1: px, x2: px, y1: py, y2: y(rate(row, row.median_ns)), class: "bound"}),
                   draw("line", {x1: px - 6, x2: px + 6, y1: py, y2: py, style: "stroke: var(--ink); stroke-width: 2"}));
      }
      svg.append(dot(px, y(rate(row, row.median_ns)), colour, `${row.subject} ${row.workload}, ${row.solution}: ${shareText(row.ofBound) || "no bound known"}`));
    }
    show(body, make("figure", {}, svg, make("figcaption", {}, "A dot is the best time of a workload, the bar above it what the machine could do (kbench doctor --measure).")),
         names.length <= mostSeries ? legend(names, (name) => seriesColour(names.indexOf(name))) : null,
         figureData([["definition"], ["workload"], ["solution"], ["operations", true], ["bytes", true], ["median ns", true], ["of bound", true]],
                    best.map((row) => [row.subject, row.workload, row.solution, row.flops, row.bytes, row.median_ns, shareText(row.ofBound)]),
                    reportCommand("json", subject === everything ? "" : subject)));
  };
  place.append(make("div", {class: "controls"}, choice("of", [everything, ...subjects], redraw)), body);
  redraw(everything);
  onWidth(() => redraw(chosen));
};
