// Elements of the page. Texts are always set as texts, never as HTML: names of services and descriptions may
// hold anything.

// element("p.note", { title: "..." }, "text", otherElement)
function element(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length > 0) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

// A verdict for the eye: shape and colour, and a word for everybody else.
function verdictMark(kind, words) {
  const shapes = { good: "✓", notice: "!", bad: "✕" };
  return element(`span.mark.${kind}`, { title: words },
    element("span", { "aria-hidden": "true" }, shapes[kind]), element("span.unseen", {}, words));
}

function copyButton(text) {
  const button = element("button.copy", { type: "button" }, "Copy");
  button.addEventListener("click", () => {
    const area = element("textarea.unseen", {}, text);
    document.body.append(area);
    area.select();
    // Pages from a file have no navigator.clipboard.
    const isCopied = document.execCommand("copy");
    area.remove();
    button.focus();
    button.textContent = isCopied ? "Copied" : "Not allowed";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}
