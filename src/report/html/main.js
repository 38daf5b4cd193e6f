byId("command").textContent = reportCommand("html");
const count = new Set(rows.map((row) => row.definition)).size;
byId("facts").textContent = [
  `${rows.length} records of ${count} definition${count === 1 ? "" : "s"} and ${solutions.length} solution${solutions.length === 1 ? "" : "s"}`,
  data.names.hardware.join(", "), data.when].filter(Boolean).join(" · ");
if (rows.length > 0) {
  drawOverview();
  drawFast();
  drawLatency();
  drawRoofline();
  drawSamples();
  drawErrors();
  results.draw();
}
