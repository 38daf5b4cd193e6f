byId("command").textContent = reportCommand("html");
const count = new Set(rows.map((row) => row.definition)).size;
byId("facts").textContent = [
  `${rows.length} records of ${count} definition${count === 1 ? "" : "s"} and ${solutions.length} solution${solutions.length === 1 ? "" : "s"}`,
  data.names.hardware.join(", "), data.names.versions.length === 1 ? data.names.versions[0] : `${data.names.versions.length} sets of versions`,
  `newest of ${data.when.slice(0, 19).replace("T", " ")}`].filter(Boolean).join(" · ");
if (data.older.all > 0)
  byId("facts").after(make("p", {class: "faint"}, `${data.older.all} older record${data.older.all === 1 ? " is" : "s are"} left out, ${data.older.failed} of them failed: --all shows them.`));
if (rows.length > 0) {
  drawOverview();
  drawFast();
  drawLatency();
  drawRoofline();
  drawSamples();
  drawErrors();
  results.draw();
}
