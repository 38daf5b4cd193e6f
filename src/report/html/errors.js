// Places of the wrong elements of an output. Each character of the map stands for as many elements: '.' none of
// them is wrong, '#' all are, '3' 30 to 39 %.
const shareOf = (sign) => (sign === "." ? 0 : sign === "#" ? 1 : (Number(sign) + 0.5) / 10);

const errorFigure = (row) => {
  const {output, shape, rows: lines} = row.error_map;
  const label = `Wrong elements of output ${output} [${shape.join(", ")}]`;
  const [left, top, width] = [40, 22, plotWidth() - 60], side = width / lines[0].length;
  const height = Math.min(Math.max(side, 6), 240 / lines.length), end = top + height * lines.length;
  const svg = draw("svg", {viewBox: `0 0 ${plotWidth()} ${end + 24}`, role: "img", "aria-label": label},
                   draw("rect", {x: left, y: top, width, height: end - top, class: "ground"}));
  lines.forEach((line, y) => [...line].forEach((sign, x) => {
    if (sign !== ".")
      svg.append(draw("rect", {x: (left + x * side).toFixed(1), y: (top + y * height).toFixed(1), width: side.toFixed(2),
                               height: height.toFixed(2), class: "wrong", "fill-opacity": 0.15 + 0.85 * shareOf(sign)}));
  }));
  const last = shape.length - 1, outer = shape.slice(0, -1).reduce((a, b) => a * b, 1);
  const text = (x, y, anchor, words) => svg.append(draw("text", {x, y, "text-anchor": anchor, class: "tick"}, words));
  if (last >= 0) {
    text(left, end + 16, "start", "0");
    text(left + width / 2, end + 16, "middle", `axis ${last}`);
    text(left + width, end + 16, "end", shape[last] - 1);
  }
  if (last > 0) {
    text(left - 6, top + 10, "end", "0");
    if (outer > 1) text(left - 6, Math.max(end, top + 22), "end", outer - 1);
    text(left, top - 8, "start", last > 1 ? `axes 0 to ${last - 1}, as they lie in memory` : "axis 0");
  }
  return make("figure", {}, svg, make("figcaption", {}, "The stronger the colour, the more of the elements are wrong."),
              figureData([["lines of the map"]], lines.map((line) => [line]), reproduce(row)));
};

const drawErrors = () => {
  const place = byId("errors"), body = make("div"), workloads = make("span");
  const known = groupBy(rows.filter((row) => row.error_map), (row) => `${row.subject}: ${row.solution}`);
  if (known.size === 0) return place.append(make("p", {class: "faint"}, "No record has an output of which single elements are wrong."));
  let chosen = null;
  const redraw = (row) => {
    chosen = row;
    show(body, make("p", {}, row.cause), errorFigure(row));
  };
  const choosePair = (pair) => {
    const own = groupBy(known.get(pair), (row) => row.workload);
    show(workloads, choice("on", [...own.keys()], (name) => redraw(own.get(name)[0])));
    redraw(known.get(pair)[0]);
  };
  place.append(make("div", {class: "controls"}, choice("of", [...known.keys()], choosePair), workloads), body);
  choosePair(known.keys().next().value);
  onWidth(() => redraw(chosen));
};
