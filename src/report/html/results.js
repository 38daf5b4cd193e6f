// Every record: sorted, filtered, and drawn only where it is looked at, so that 20,000 rows scroll.
const results = (() => {
  const rowHeight = 28;
  const columns = [
    {title: "definition", of: (row) => row.subject},
    {title: "workload", of: (row) => row.workload},
    {title: "solution", of: (row) => row.solution},
    {title: "status", of: (row) => row.status},
    {title: "of limit", of: (row) => row.margin, text: limitText, number: true, isFor: (row) => row.margin !== null},
    {title: "max error", of: (row) => row.max_error, text: (error) => Number(error).toPrecision(2), number: true,
     isFor: (row) => row.max_error !== null && row.margin === null},
    {title: "median", of: (row) => row.median_ns, text: timeText, number: true},
    {title: "p10", of: (row) => row.p10_ns, text: timeText, number: true},
    {title: "reference", of: (row) => row.reference_ns, text: timeText, number: true},
    {title: "speed-up", of: (row) => row.speedup, text: ratioText, number: true},
    {title: "99 %", of: (row) => row.speedup_interval, text: halfText},
    {title: "of bound", of: (row) => row.ofBound, text: shareText, number: true},
    {title: "cause", of: (row) => row.says},
  ].filter((column) => !column.isFor || rows.some(column.isFor));
  const wanted = {subject: "", status: "", text: ""};
  let shown = rows, sortedBy = null, downwards = false, chosen = null;
  let body, frame, count, inputs, heads;

  const cellText = (column, row) => {
    const value = column.of(row);
    if (value === null || value === undefined) return "";
    return column.text ? column.text(value) : value;
  };
  const isWanted = (row) =>
    (!wanted.subject || row.subject === wanted.subject) &&
    (!wanted.status || (wanted.status === "not passed" ? !row.passed : row.status === wanted.status)) &&
    (!wanted.text || `${row.subject} ${row.workload} ${row.solution} ${row.says ?? ""}`.toLowerCase().includes(wanted.text.toLowerCase()));
  const largest = (value) => (Number.isNaN(Number(value)) ? Infinity : Number(value));
  const compare = (a, b) => {
    const x = sortedBy.of(a), y = sortedBy.of(b);
    if (x === null || x === undefined) return y === null || y === undefined ? 0 : 1;  // nothing comes last either way
    if (y === null || y === undefined) return -1;
    const order = sortedBy.number ? largest(x) - largest(y) || 0 : String(x).localeCompare(String(y), "en", {numeric: true});
    return downwards ? -order : order;
  };

  const drawRow = (row) =>
    make("tr", {tabindex: "0", "aria-selected": String(row === chosen), onclick: () => choose(row),
                onkeydown: (event) => { if (event.key === "Enter") choose(row); }},
         ...columns.map((column) => make("td", {
           class: column.title === "status" ? (row.passed ? "PASSED" : "failed") : column.number ? "number" : null,
           title: column.title === "cause" ? row.says : null}, cellText(column, row))));
  const drawVisible = () => {
    const all = printing ? shown.length : Math.ceil(frame.clientHeight / rowHeight) + 20;
    const first = printing ? 0 : Math.max(0, Math.floor(frame.scrollTop / rowHeight) - 10);
    const last = Math.min(shown.length, first + all);
    const gap = (count) => make("tr", {style: `height: ${count * rowHeight}px`, "aria-hidden": "true"});
    body.replaceChildren(gap(first), ...shown.slice(first, last).map(drawRow), gap(shown.length - last));
  };
  let printing = false;
  const update = () => {
    shown = rows.filter(isWanted);
    if (sortedBy) shown.sort(compare);
    count.textContent = `${shown.length} of ${rows.length}`;
    frame.firstChild.setAttribute("aria-rowcount", shown.length + 1);
    frame.scrollTop = 0;
    drawVisible();
  };
  const sortBy = (column, head) => {
    downwards = sortedBy === column ? !downwards : false;
    sortedBy = column;
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", downwards ? "descending" : "ascending");
    update();
  };
  const choose = (row) => {
    chosen = row;
    drawVisible();
    const facts = [["definition", row.subject], ["workload", `${row.workload} (${row.uuid})`], ["solution", row.solution],
      ["status", row.status], ["largest error", row.max_error], ["when", row.timestamp.slice(0, 19).replace("T", " ")], ["machine", row.hardware], ["built and run with", row.versions], ["compiler's flags", row.flags], ["threads", row.threads], ["rule", row.rule], ["trust", row.trust],
      ["median", `${timeText(row.median_ns)}${row.low_ns > 0 ? ` (95 %: ${timeText(row.low_ns)} to ${timeText(row.high_ns)})` : ""}`],
      ["samples", row.samples]];
    byId("chosen").replaceChildren(
      make("h3", {}, row.solution),
      plainTable([[""], [""]], facts.filter(([, text]) => text).map(([name, text]) => [name, String(text)])),
      ...(row.says ? [make("pre", {}, row.says)] : []),
      make("p", {}, "Again: ", make("code", {}, reproduce(row))),
      ...(row.error_map ? [errorFigure(row)] : []));
    byId("chosen").hidden = false;
  };

  const drawTable = () => {
    const place = byId("results");
    const statuses = ["", "not passed", ...new Set(rows.map((row) => row.status))];
    count = make("output", {"aria-live": "polite"});
    inputs = {
      subject: choice("definition", ["", ...subjects], (name) => { wanted.subject = name; update(); }),
      status: choice("status", statuses, (name) => { wanted.status = name; update(); }),
      text: make("label", {}, "filter ", make("input", {type: "search", oninput: (event) => { wanted.text = event.target.value; update(); }})),
    };
    heads = columns.map((column) => {
      const head = make("th", {scope: "col", class: column.number ? "number" : null});
      head.append(make("button", {type: "button", onclick: () => sortBy(column, head)}, column.title));
      return head;
    });
    body = make("tbody");
    frame = make("div", {class: "rows", tabindex: "0", "aria-label": "Results", role: "region", onscroll: drawVisible},
                 make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
    place.append(make("div", {class: "controls"}, inputs.subject, inputs.status, inputs.text, count), frame,
                 make("div", {id: "chosen", hidden: ""}));
    addEventListener("beforeprint", () => { printing = true; drawVisible(); });
    addEventListener("afterprint", () => { printing = false; drawVisible(); });
    addEventListener("resize", drawVisible);
    update();
  };
  const filter = ({subject = "", status = "", text = ""}) => {
    Object.assign(wanted, {subject, status, text});
    inputs.subject.querySelector("select").value = subject;
    inputs.status.querySelector("select").value = status;
    inputs.text.querySelector("input").value = text;
    update();
    byId("results").scrollIntoView();
    frame.focus();
  };
  return {draw: drawTable, filter};
})();
