// fast_p over p (A. Ouyang et al., "KernelBench", 2025): the share of workloads that passed and are p times as fast
// as the reference, or faster. A failure is never fast.
const fastCurve = (own) => {
  const factors = own.map((row) => row.speedup).filter((factor) => factor !== null).sort((a, b) => a - b);
  return factors.map((factor, i) => [factor, (factors.length - i) / own.length]);
};

const drawFast = () => {
  const place = byId("fast"), body = make("div");
  const redraw = (subject) => {
    const of = rows.filter((row) => subject === everything || row.subject === subject);
    const all = [...groupBy(of.filter((row) => !row.contract), (row) => row.solution)];
    const groups = all.sort((a, b) => b[1].length - a[1].length).slice(0, mostSeries);
    const colourOf = coloursOf(groups.map(([name]) => name));
    const factors = of.map((row) => row.speedup).filter((factor) => factor > 0);
    if (factors.length === 0) return show(body, make("p", {class: "faint"}, "No times to compare with the reference's."));
    const [low, high] = bounds([...factors, 1]);
    const x = logScale(low / 1.1, high * 1.1, ...xRange), y = linearScale(0, 1, ...yRange);
    const svg = makePlot("fast_p: share of workloads against the speed-up over the reference", x, y,
                         (p) => `${p}x`, (share) => shareText(share), "p: times as fast as the reference", "share of workloads");
    const lines = [];
    for (const [name, own] of groups) {
      const points = fastCurve(own);
      const steps = [];
      let share = points.length ? points[0][1] : 0;
      steps.push([x(low / 1.1), y(share)]);
      for (const [factor, from] of points) {
        steps.push([x(factor), y(from)], [x(factor), y(from - 1 / own.length)]);
        share = from - 1 / own.length;
      }
      steps.push([x(high * 1.1), y(share)]);
      svg.append(curve(steps, colourOf(name)));
      for (const p of [1, 1.5, 2]) lines.push([name, p, shareText(points.filter(([factor]) => factor >= p).length / own.length), own.length]);
    }
    show(body, make("figure", {}, svg), legend(groups.map(([name]) => name)), leftOut(groups.length, all.length),
         figureData([["solution"], ["p", true], ["fast_p", true], ["workloads", true]], lines, leaderboardCommand("--p 1,1.5,2", subject === everything ? "" : subject)));
  };
  place.append(make("div", {class: "controls"}, choice("of", [everything, ...subjects], redraw)), body);
  redraw(everything);
};
