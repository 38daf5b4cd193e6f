// Median time against one axis, both logarithmic, with the 95 % interval of each median, and what the machine itself
// would need at best.
const drawLatency = () => {
  const place = byId("latency"), body = make("div"), axes = make("span");
  const ofSubject = groupBy(rows, (row) => row.subject);
  const hasTimes = (subject) => ofSubject.get(subject).some((row) => row.passed && row.median_ns > 0);
  const first = subjects.find(hasTimes) ?? subjects[0];
  const axisNames = (subject) => data.subjects[subject].axes;

  let chosen = [];
  const redraw = (subject, axis) => {
    chosen = [subject, axis];
    const at = axisNames(subject).indexOf(axis);
    const timed = ofSubject.get(subject).filter((row) => row.passed && row.median_ns > 0 && (at < 0 || row.axes[at] > 0));
    if (timed.length === 0) return show(body, make("p", {class: "faint"}, "No times."));
    const size = (row) => (at < 0 ? 1 : row.axes[at]);
    const all = [...groupBy(timed, (row) => row.solution)], groups = all.slice(0, mostSeries);
    const colourOf = coloursOf(groups.map(([name]) => name));
    const sizes = bounds(timed.map(size));
    const [low, high] = bounds(timed.flatMap((row) => [row.low_ns, row.high_ns, row.median_ns, row.bound_ns, row.reference_ns].filter((ns) => ns > 0)));
    const x = logScale(sizes[0] / 1.15, sizes[1] * 1.15, ...xRange()), y = logScale(low / 1.2, high * 1.2, ...yRange);
    const svg = makePlot(`Median time of ${subject} against ${axis || "nothing"}`, x, y, String, timeText, axis || "(no axis)", "median time");
    const lines = [];
    for (const [name, own] of groups) {
      const sorted = [...own].sort((a, b) => size(a) - size(b));
      const middles = [...groupBy(sorted, size)].map(([value, same]) => [value, same.map((row) => row.median_ns).sort((a, b) => a - b)[same.length >> 1]]);
      svg.append(curve(middles.map(([value, ns]) => [x(value), y(ns)]), colourOf(name)));
      for (const row of sorted) {
        lines.push([name, row.workload, size(row), row.median_ns, row.low_ns ?? "", row.high_ns ?? "", row.bound_ns ?? ""]);
        if (timed.length > mostDots) continue;
        if (row.low_ns > 0)
          svg.append(draw("line", {x1: x(size(row)), x2: x(size(row)), y1: y(row.low_ns), y2: y(row.high_ns), style: `stroke: ${colourOf(name)}`}));
        svg.append(dot(x(size(row)), y(row.median_ns), colourOf(name), `${name}, ${row.workload}: ${timeText(row.median_ns)}`));
      }
    }
    const least = (key) => [...groupBy(timed.filter((row) => row[key] > 0), size)]
      .map(([value, same]) => [value, bounds(same.map((row) => row[key]))[0]]).sort((a, b) => a[0] - b[0]);
    for (const [key, title] of [["bound_ns", "bound"], ["reference_ns", "reference"]]) {
      const points = least(key).map(([value, ns]) => [x(value), y(ns)]);
      if (points.length === 0) continue;
      svg.append(curve(points, "", "bound"), draw("text", {x: points.at(-1)[0], y: points.at(-1)[1] - 6, "text-anchor": "end", class: "tick"}, title));
    }
    show(body, make("figure", {}, svg, make("figcaption", {}, "Dashed: the reference, and what the machine itself would need at best, where it is known.")),
         legend(groups.map(([name]) => name)), leftOut(groups.length, all.length),
         figureData([["solution"], ["workload"], [axis || "axis", true], ["median ns", true], ["low", true], ["high", true], ["bound", true]],
                    lines, reportCommand("csv", subject)));
  };
  const chooseSubject = (subject) => {
    const names = axisNames(subject);
    show(axes, names.length > 1 ? choice("against", names, (axis) => redraw(subject, axis)) : null);
    redraw(subject, names[0] ?? "");
  };
  place.append(make("div", {class: "controls"}, choice("of", subjects, chooseSubject, first), axes), body);
  chooseSubject(first);
  onWidth(() => redraw(...chosen));
};
