// Runs in the page after it has drawn itself: uses it as a reader would, and says what it saw.
(() => {
  const saw = {};
  const table = () => [...document.querySelectorAll(".rows tbody tr")].filter((row) => row.children.length > 0)
    .map((row) => [...row.children].map((cell) => cell.textContent));
  const count = () => document.querySelector("#results output").textContent;
  const frame = document.querySelector(".rows");
  const head = (title) => [...document.querySelectorAll(".rows th button")].find((button) => button.textContent === title);
  const type = (text) => {
    const input = document.querySelector("#results input");
    input.value = text;
    input.dispatchEvent(new Event("input", {bubbles: true}));
  };
  try {
    saw.sections = Object.fromEntries([...document.querySelectorAll("main section")].map((section) =>
      [section.id, section.querySelectorAll("svg").length + section.querySelectorAll("table").length]));
    saw.unnamed = [...document.querySelectorAll("svg")].filter((svg) => !svg.getAttribute("aria-label")).length
      + [...document.querySelectorAll("select, input")].filter((control) => !control.closest("label")).length;
    saw.facts = document.querySelector("#facts").textContent;
    saw.all = count();
    saw.drawn = table().length;
    saw.bad = [...document.querySelectorAll("svg *")].filter((element) =>
      [...element.attributes].some((attribute) => /NaN|Infinity|undefined/.test(attribute.value))).length;
    saw.injected = document.querySelectorAll("main img, main b").length;

    head("median").click();
    saw.ascending = table().slice(0, 5).map((cells) => cells[5]);
    head("median").click();
    saw.descending = table().slice(0, 5).map((cells) => cells[5]);
    saw.sort = head("median").parentElement.getAttribute("aria-sort");

    type("quick");
    saw.found = count();
    saw.solutions = [...new Set(table().map((cells) => cells[2]))];
    type("");

    frame.scrollTop = frame.scrollHeight;
    frame.dispatchEvent(new Event("scroll"));
    saw.atEnd = table().length;
    saw.last = table().at(-1)[3];  // what has no time comes last

    document.querySelector(".passed button.failed").click();
    saw.fromMatrix = count();
    saw.statuses = [...new Set(table().map((cells) => cells[3]))].sort();
    document.querySelector(".rows tbody tr[tabindex]").click();
    saw.chosen = document.querySelector("#chosen").textContent;

    document.querySelector("#fast details summary").click();
    const select = document.querySelector("#latency select");
    select.value = select.options[1].value;
    select.dispatchEvent(new Event("change"));
    saw.latency = document.querySelector("#latency svg").getAttribute("aria-label");
  } catch (error) {
    saw.error = String(error.stack);
  }
  saw.console = window.consoleErrors;
  document.body.setAttribute("data-saw", JSON.stringify(saw));
})();
