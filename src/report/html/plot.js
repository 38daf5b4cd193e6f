// Axes and curves in SVG. A plot is {x, y, width, height}: scales from values to places.
const seriesColour = (i) => `var(--s${i % 8})`;
// Gives a solution the same colour in every figure where there are few; else each figure has its
// own colours.
const coloursOf = (names) => (solution) => seriesColour((solutions.length <= mostSeries ? solutions : names).indexOf(solution));

// Four to nine values a 1, 2 or 5 of some power of ten apart.
const roundSteps = (low, high) => {
  const power = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
  const step = [5, 2, 1].map((factor) => factor * power).find((size) => (high - low) / size >= 4) ?? power;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) ticks.push(Number((i * step).toPrecision(6)));
  return ticks;
};

// A figure is as wide as the page, so that its text is as large as that around it.
const plotWidth = () => Math.max(300, byId("overview").clientWidth || 860);
const xRange = () => [64, plotWidth() - 16], yRange = [330, 20];
// Limit of ticks that have room: those of y, which runs upwards, need only their height.
const mostTicks = (from, to) => Math.max(2, Math.floor(Math.abs(to - from) / (from > to ? 34 : 64)));

const logScale = (low, high, from, to) => {
  const a = Math.log(low), b = Math.log(high === low ? low * 1.0001 : high);
  const scale = (value) => from + ((Math.log(value) - a) / (b - a)) * (to - from);
  scale.ticks = () => {
    const decades = Math.log10(high / low);
    if (decades < 0.5) return roundSteps(low, high);
    const most = mostTicks(from, to), every = Math.max(1, Math.ceil(decades / most));
    const powers = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) powers.push(power);
    const inside = (value) => value >= low * 0.999 && value <= high * 1.001;
    const multiples = (steps) => powers.flatMap((power) => steps.map((step) => Number((step * 10 ** power).toPrecision(3)))).filter(inside);
    const all = [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 5], [1]].map(multiples).find((ticks) => ticks.length <= most);
    return all ?? powers.filter((power) => power % every === 0).map((power) => 10 ** power).filter(inside);
  };
  return scale;
};
const linearScale = (low, high, from, to) => {
  const scale = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
  const count = Math.min(5, mostTicks(from, to));
  scale.ticks = () => Array.from({length: count + 1}, (_, i) => low + (i / count) * (high - low));
  return scale;
};

const makePlot = (label, x, y, xText, yText, xTitle, yTitle) => {
  const width = plotWidth(), [left, right] = xRange();
  const svg = draw("svg", {viewBox: `0 0 ${width} 380`, role: "img", "aria-label": label});
  for (const value of x.ticks())
    svg.append(draw("line", {x1: x(value), x2: x(value), y1: 20, y2: 330, class: "grid"}),
               draw("text", {x: x(value), y: 347, "text-anchor": "middle", class: "tick"}, xText(value)));
  for (const value of y.ticks())
    svg.append(draw("line", {x1: left, x2: right, y1: y(value), y2: y(value), class: "grid"}),
               draw("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end", class: "tick"}, yText(value)));
  svg.append(draw("text", {x: (left + right) / 2, y: 372, "text-anchor": "middle"}, xTitle),
             draw("text", {x: left, y: 13}, yTitle));
  return svg;
};

const pathOf = (points) => points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
const curve = (points, colour, kind = "curve") =>
  draw("path", {class: kind, style: kind === "curve" ? `stroke: ${colour}` : "", d: pathOf(points)});
// The area between the ends of intervals.
const area = (points, colour) =>
  draw("path", {style: `fill: ${colour}; fill-opacity: 0.15`,
                d: `${pathOf(points)}Z`});
const dot = (px, py, colour, title) =>
  draw("circle", {cx: px.toFixed(1), cy: py.toFixed(1), r: 4, style: `fill: ${colour}`}, draw("title", {}, title));
const legend = (names, colour = coloursOf(names)) =>
  make("ul", {class: "legend"}, ...names.map((name) => make("li", {}, make("i", {style: `background: ${colour(name)}`}), name)));
const bounds = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
// A figure in place of what was there.
const show = (place, ...parts) => place.replaceChildren(...parts.filter((part) => part !== null));
const mostDots = 2000;  // more of them are a blot, and slow
const mostSeries = 8;  // more curves than this nobody tells apart
const leftOut = (shown, all) =>
  all > shown ? make("p", {class: "faint"}, `${shown} of ${all} solutions are drawn; the table has all.`) : null;
