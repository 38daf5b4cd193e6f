// Counts of workloads that passed: definition × solution, or kernel × check for contracts. A cell chooses its rows
// in the table.
const failed = (own) => own.filter((row) => !row.passed).length;

// `of` a row: [the line that it is in, its column, what chooses it in the table].
const matrix = (title, own, columns, of) => {
  const lines = groupBy(own, (row) => of(row)[0]);
  return make("div", {class: "scroll", tabindex: "0"}, make("table", {class: "matrix"},
    make("thead", {}, make("tr", {}, make("th", {scope: "col"}, title),
      ...columns.map((name) => make("th", {scope: "col", title: name}, name)))),
    make("tbody", {}, ...[...lines].map(([line, ofLine]) => {
      const cells = groupBy(ofLine, (row) => of(row)[1]);
      return make("tr", {}, make("th", {scope: "row"}, line), ...columns.map((column) => {
        const cell = cells.get(column);
        if (!cell) return make("td");
        const good = cell.length - failed(cell);
        return make("td", {}, make("button", {type: "button", class: good === cell.length ? "PASSED" : "failed",
          "aria-label": `${good} of ${cell.length} passed: ${column} of ${line}. Show them.`,
          onclick: () => results.filter(of(cell[0])[2])}, `${good}/${cell.length}`));
      }));
    }))));
};

// A line a definition, with a cell for each of its solutions: those that fail most come first.
const mostCells = 12;
const drawSolutions = (place, own) => {
  const cell = (subject, name, of) => {
    const good = of.length - failed(of);
    return make("button", {type: "button", class: good === of.length ? "PASSED" : "failed",
      "aria-label": `${good} of ${of.length} passed: ${name} of ${subject}. Show them.`,
      onclick: () => results.filter({subject, text: name})}, `${name} ${good}/${of.length}`);
  };
  place.append(make("div", {class: "scroll", tabindex: "0"}, make("table", {class: "passed"},
    make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "definition"), make("th", {scope: "col"}, "passed of each solution"))),
    make("tbody", {}, ...[...groupBy(own, (row) => row.subject)].map(([subject, of]) => {
      const all = [...groupBy(of, (row) => row.solution)].sort((a, b) => failed(b[1]) - failed(a[1]));
      const more = all.length > mostCells ? make("span", {class: "faint"}, ` and ${all.length - mostCells} more`) : null;
      return make("tr", {}, make("th", {scope: "row"}, subject),
                  make("td", {}, ...all.slice(0, mostCells).map(([name, rows]) => cell(subject, name, rows)), more));
    })))));
};

const drawContracts = (place, own) => {
  const checks = [...new Set(own.map((row) => row.contract))].sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
  place.append(matrix("kernel", own, checks, (row) => [row.kernel, row.contract, {text: row.solution}]));
};

const drawOverview = () => {
  const place = byId("overview");
  const passed = rows.filter((row) => row.passed).length;
  const vacuous = rows.filter((row) => row.passed && row.non_discriminating).length;
  const failures = groupBy(rows.filter((row) => !row.passed), (row) => row.status);
  place.append(make("p", {}, `${passed} of ${rows.length} passed`,
                    ...[...failures].map(([status, own]) => make("span", {class: "failed"}, `, ${own.length} ${status}`)),
                    vacuous > 0 ? `; ${vacuous} on workloads that cannot tell right from wrong` : null));
  const [contracts, others] = [rows.filter((row) => row.contract), rows.filter((row) => !row.contract)];
  if (others.length > 0) drawSolutions(place, others);
  if (contracts.length > 0) drawContracts(place, contracts);
};
