// Elements. Text is always set as text: nothing of a record is ever read as HTML.
const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const draw = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
// Calls each again when the window has another width.
const redraws = [];
const onWidth = (redraw) => redraws.push(redraw);
let drawnWidth = innerWidth, widthTimer = 0;
addEventListener("resize", () => {
  clearTimeout(widthTimer);
  widthTimer = setTimeout(() => {
    if (innerWidth === drawnWidth) return;
    drawnWidth = innerWidth;
    for (const redraw of redraws) redraw();
  }, 100);
});
const byId = (id) => document.getElementById(id);

// A select of `names`, which calls `changed` with the chosen one; its label is read aloud.
const choice = (label, names, changed, first = names[0]) => {
  const select = make("select", {onchange: () => changed(select.value)},
                      ...names.map((name) => make("option", {value: name}, name || "any")));
  select.value = first;
  return make("label", {}, label + " ", select);
};

// `head`: [title, whether of numbers]; `lines`: texts.
const plainTable = (head, lines) =>
  make("table", {},
       make("thead", {}, make("tr", {}, ...head.map(([title, number]) =>
         make("th", {scope: "col", class: number ? "number" : null}, title)))),
       make("tbody", {}, ...lines.map((line) =>
         make("tr", {}, ...line.map((text, i) => make("td", {class: head[i][1] ? "number" : null}, text))))));

// The numbers of a figure, and how to have them again.
const figureData = (head, lines, command) => {
  const copy = make("button", {type: "button", onclick: () => {
    navigator.clipboard?.writeText([head.map(([title]) => title), ...lines].map((line) => line.join("\t")).join("\n"));
  }}, "Copy");
  const details = make("details", {}, make("summary", {}, "Data"));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1)
      details.append(make("p", {}, make("code", {}, command), " ", copy),
                     make("div", {class: "scroll", tabindex: "0"}, plainTable(head, lines)));
  });
  return details;
};
