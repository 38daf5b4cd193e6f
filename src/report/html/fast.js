// fast_p over p (A. Ouyang et al., "KernelBench", 2025): the share of workloads that passed and are p times as fast
// as the reference, or faster. A failure is never fast; one that passed without a ratio is undecided, in no share; and
// records on a workload that cannot tell right from wrong do not count.
const isDecided = (row) => row.speedup !== null || !row.passed;
const fastShare = (factors, p, count) => factors.filter((factor) => factor >= p).length / count;

// The ratios of one solution, and the ends of their intervals.
const fastFactors = (own) => {
  const fast = own.filter((row) => row.speedup !== null);
  const ends = (i) => fast.map((row) => (row.speedup_interval ? row.speedup_interval[i] : row.speedup));
  return {all: fast.map((row) => row.speedup), low: ends(0), high: ends(1)};
};

// The corners of a curve that falls at each factor.
const fastSteps = (factors, count, [from, to], x, y) => {
  const steps = [[x(from), y(factors.length / count)]];
  [...factors].sort((a, b) => a - b).forEach((factor, i) => {
    steps.push([x(factor), y((factors.length - i) / count)], [x(factor), y((factors.length - i - 1) / count)]);
  });
  return [...steps, [x(to), y(0)]];
};

const fastRow = (name, factors, p, own, count) => {
  const share = (of) => shareText(fastShare(of, p, count));
  return [name, p, share(factors.all), `${share(factors.low)} to ${share(factors.high)}`, count, own.length - count];
};

const drawFast = () => {
  const place = byId("fast"), body = make("div");
  const fewest = 5;  // workloads: the shares of fewer are no curve
  let chosen = everything;
  const redraw = (subject) => {
    chosen = subject;
    const of = rows.filter((row) => (subject === everything || row.subject === subject) && !row.contract && !row.non_discriminating);
    const all = [...groupBy(of, (row) => row.solution)];
    const groups = all.sort((a, b) => b[1].length - a[1].length).slice(0, mostSeries);
    const colourOf = coloursOf(groups.map(([name]) => name));
    const {all: ratios, low: lows, high: highs} = fastFactors(of);
    if (ratios.length === 0) return show(body, make("p", {class: "faint"}, "No times to compare with the reference's."));
    const [low, high] = bounds([...lows, ...highs, 1]), range = [low / 1.1, high * 1.1];
    const x = logScale(...range, ...xRange()), y = linearScale(0, 1, ...yRange);
    const svg = makePlot("fast_p: share of workloads against the speed-up over the reference", x, y,
                         (p) => `${p}x`, (share) => shareText(share), "p: times as fast as the reference; right is better", "share of workloads");
    const lines = [];
    for (const [name, own] of groups) {
      const count = own.filter(isDecided).length, factors = fastFactors(own);
      if (count === 0) continue;
      const steps = (ends) => fastSteps(ends, count, range, x, y);
      svg.append(area([...steps(factors.low), ...steps(factors.high).reverse()], colourOf(name)),
                 curve(steps(factors.all), colourOf(name)));
      for (const p of [1, 1.5, 2]) lines.push(fastRow(name, factors, p, own, count));
    }
    const workloads = new Set(of.map((row) => row.uuid)).size;
    const figure = workloads < fewest ? [make("p", {class: "faint"}, `${workloads} workload${workloads === 1 ? " makes" : "s make"} no distribution: the table has the speed-ups.`)]
      : [make("figure", {}, svg), legend(groups.map(([name]) => name)), leftOut(groups.length, all.length)];
    show(body, ...figure,
         figureData([["solution"], ["p", true], ["fast_p", true], ["99 %", true], ["workloads", true], ["undecided", true]], lines, leaderboardCommand("--p 1,1.5,2", subject === everything ? "" : subject)));
  };
  place.append(make("div", {class: "controls"}, choice("of", [everything, ...subjects], redraw)), body);
  redraw(everything);
  onWidth(() => redraw(chosen));
};
