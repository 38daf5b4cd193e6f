"use strict";
// The records as the page has them: `rows`, one object a record, made from columns (html.cpp).
const data = JSON.parse(document.getElementById("data").textContent);
const columnNames = Object.keys(data.columns);
const timeColumns = ["median_ns", "p10_ns", "low_ns", "high_ns", "reference_ns", "quantiles_ns"];
const rows = data.columns.solution.map((_, i) => {
  const row = {index: i};
  for (const name of columnNames) row[name] = data.columns[name][i];
  for (const name of ["subject", "solution", "status", "hardware", "versions", "flags"]) row[name] = data.names[name][row[name]];
  row.definition = data.subjects[row.subject].definition;
  row.passed = row.status.endsWith("PASSED");  // "emulated PASSED"
  // A check of a kernel's contract is called <kernel>.<check>. Its times say nothing of the kernel.
  row.kernel = row.contract ? row.solution.slice(0, row.solution.lastIndexOf(".")) : null;
  if (row.contract) for (const name of timeColumns) row[name] = null;
  if (!row.passed || row.contract) row.speedup = row.speedup_interval = null;
  row.says = row.cause ?? (row.non_discriminating ? `tells nothing: a program would pass that returns ${row.non_discriminating}` : null);
  row.ofBound = row.bound_ns > 0 && row.median_ns > 0 ? row.bound_ns / row.median_ns : null;
  return row;
});
// A subject is a definition, on one machine where the records are of several.
const subjects = [...new Set(rows.map((row) => row.subject))];
const everything = "all definitions";  // where one of them may be chosen
const solutions = [...new Set(rows.map((row) => row.solution))];

// The command that judges it once more.
const reproduce = (row) => `kbench run -d ${row.definition} -w ${row.uuid} -s ${row.solution}`;

// The commands that say the same of these records, or of one subject where it is given.
const reportCommand = (format, subject) =>
  `kbench report${data.places}${subject ? ` -d ${data.subjects[subject].definition}` : data.chosen}${data.choice} --format ${format}`;
const leaderboardCommand = (options, subject) =>
  `kbench leaderboard${data.places}${subject ? ` -d ${data.subjects[subject].definition}` : data.chosen} --trust plain ${options}`;

const groupBy = (items, key) => {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
};

// "1.23 µs": three digits, as a person would write them.
const timeText = (ns) => {
  if (!(ns > 0)) return "";
  const units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const [unit, size] = units.find(([, least]) => ns >= least * 0.9995) ?? units.at(-1);
  return `${Number((ns / size).toPrecision(3))} ${unit}`;
};
const rateText = (perSecond, unit) => {
  const prefixes = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  const [prefix, size] = prefixes.find(([, least]) => perSecond >= least) ?? prefixes.at(-1);
  return `${Number((perSecond / size).toPrecision(3))} ${prefix}${unit}`;
};
const ratioText = (ratio) => (ratio === null ? "" : `${ratio >= 100 ? ratio.toFixed(0) : ratio.toPrecision(3)}x`);
// Half of an interval as a share of its middle, both by their logarithms: as tables have it (report/wording.cpp).
const halfText = (interval) => {
  const half = 100 * Math.expm1(Math.log(interval[1] / interval[0]) / 2);
  return `±${half.toFixed(half < 0.995 ? 1 : 0)}%`;
};
const limitText = (share) => (share > 10 ? ">1000%" : `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`);
const shareText = (share) => (share === null ? "" : `${Number((100 * share).toFixed(share < 0.0995 ? 1 : 0))}%`);
