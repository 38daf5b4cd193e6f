// Distribution of the samples of solutions on one workload: the share that takes at most so long, by the quantiles that
// the page has, 0 to 100 % by fives.
const drawSamples = () => {
  const place = byId("samples"), body = make("div"), workloads = make("span");
  const known = groupBy(rows.filter((row) => row.quantiles_ns), (row) => row.subject);
  if (known.size === 0) return place.append(make("p", {class: "faint"}, "No record has samples."));
  let chosen = [];
  const redraw = (own) => {
    chosen = own;
    const shown = own.slice(0, mostSeries);
    const [low, high] = bounds(shown.flatMap((row) => row.quantiles_ns.slice(0, -1)).filter((ns) => ns > 0));
    const x = logScale(low / 1.02, high * 1.02, ...xRange()), y = linearScale(0, 1, ...yRange);
    const svg = makePlot("Share of samples that take at most so long", x, y, timeText, shareText, "time of a call", "share of samples");
    const colourOf = coloursOf(shown.map((row) => row.solution));
    for (const row of shown)
      svg.append(curve(row.quantiles_ns.slice(0, -1).map((ns, j) => [x(Math.max(ns, low)), y(j / 20)]), colourOf(row.solution)));
    show(body, make("figure", {}, svg, make("figcaption", {}, "The slowest twentieth is left out; the data has its end.")),
         legend(shown.map((row) => row.solution)), leftOut(shown.length, own.length),
         figureData([["solution"], ["samples", true], ...[0, 5, 10, 25, 50, 75, 90, 95, 100].map((q) => [`${q} %`, true])],
                    shown.map((row) => [row.solution, row.samples, ...[0, 1, 2, 5, 10, 15, 18, 19, 20].map((j) => timeText(row.quantiles_ns[j]))]),
                    reportCommand("json", shown[0].subject)));
  };
  const chooseSubject = (subject) => {
    const own = groupBy(known.get(subject), (row) => row.workload);
    show(workloads, choice("on", [...own.keys()], (name) => redraw(own.get(name))));
    redraw(own.values().next().value);
  };
  place.append(make("div", {class: "controls"}, choice("of", [...known.keys()], chooseSubject), workloads), body);
  chooseSubject(known.keys().next().value);
  onWidth(() => redraw(chosen));
};
