// Definition × solution: how many of the workloads passed. A cell chooses its rows in the table.
const failed = (own) => own.filter((row) => !row.passed).length;

const drawOverview = () => {
  const place = byId("overview");
  const passed = rows.filter((row) => row.passed).length;
  const failures = groupBy(rows.filter((row) => !row.passed), (row) => row.status);
  place.append(make("p", {}, `${passed} of ${rows.length} passed`,
                    ...[...failures].map(([status, own]) => make("span", {class: "failed"}, `, ${own.length} ${status}`))));
  const tooMany = solutions.length > 40;  // then nobody looks through columns: worst first, and a limit
  const order = tooMany
    ? [...groupBy(rows, (row) => row.solution)].sort((a, b) => failed(b[1]) - failed(a[1])).slice(0, 40).map(([name]) => name)
    : solutions;
  if (tooMany) place.append(make("p", {class: "faint"}, `The 40 of ${solutions.length} solutions with the most failures; the table has all.`));
  const cells = groupBy(rows, (row) => `${row.subject}\n${row.solution}`);
  const body = subjects.map((subject) =>
    make("tr", {}, make("th", {scope: "row"}, subject), ...order.map((solution) => {
      const own = cells.get(`${subject}\n${solution}`);
      if (!own) return make("td");
      const good = own.length - failed(own);
      return make("td", {}, make("button", {type: "button", class: good === own.length ? "PASSED" : "failed",
        "aria-label": `${good} of ${own.length} passed: ${solution} of ${subject}. Show them.`,
        onclick: () => results.filter({subject, text: solution})}, `${good}/${own.length}`));
    })));
  place.append(make("div", {class: "scroll", tabindex: "0"},
    make("table", {class: "matrix"},
      make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "definition"),
        ...order.map((name) => make("th", {scope: "col", title: name}, name)))),
      make("tbody", {}, ...body))));
};
