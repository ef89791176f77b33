// An exercise that is written, run and checked in the page. Chapter 1.

/** Build the field for the code: Tab indents, Escape gives Tab back to the keyboard's way out. */
function codeField(name, code) {
  const field = element("textarea", {
    rows: Math.max(8, code.split("\n").length + 2),
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
  });
  field.value = remembered()?.code[name] ?? code;
  let leaves = false;
  field.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && !event.shiftKey && !leaves) {
      event.preventDefault();
      field.setRangeText("    ", field.selectionStart, field.selectionEnd, "end");
    }
    leaves = event.key === "Escape";
  });
  field.addEventListener("keyup", (event) => event.stopPropagation());
  return field;
}

/** Draw what a cell shows: text as it is, figures as HTML. */
function drawShown(shown) {
  return shown.map(([kind, content]) => {
    const part = element(kind === "html" ? "div" : "pre");
    if (kind === "html") {
      const page = new DOMParser().parseFromString(content, "text/html");
      part.append(...page.head.childNodes, ...page.body.childNodes);
    } else part.textContent = content;
    return part;
  });
}

/** Build the buttons of an exercise. */
function exerciseButtons() {
  const button = (text) => element("button", { type: "button" }, text);
  const made = { run: button("Run"), stop: button("Stop"), again: button("Begin again") };
  made.stop.disabled = true;
  const box = element("input", { type: "checkbox" });
  mountMemoryBox(box);
  const keep = element("label", {}, box, " Keep my code in this browser");
  const line = element("p", {}, made.run, made.stop, made.again, " ", keep);
  return { ...made, box, line };
}

/** Build the editor of an exercise, and let it run. */
function openEditor(figure, name, code) {
  const field = codeField(name, code);
  const { run, stop, again, box, line } = exerciseButtons();
  const status = element("output", { "aria-live": "polite" });
  const results = element("div", { class: "mb-shown", "aria-live": "polite" });
  const report = (text) => {
    status.value = text;
  };
  const keepCode = () =>
    remember((all) => {
      all.code[name] = field.value;
    });
  const start = async () => {
    if (run.disabled) return;
    run.disabled = true;
    stop.disabled = false;
    results.replaceChildren(); // what stands there is of other code
    keepCode();
    try {
      const { shown, passed } = await runPython(name, field.value, report);
      results.replaceChildren(...drawShown(shown));
      report("");
      if (passed) {
        remember((all) => {
          all.done[name] ??= today();
        });
      }
    } catch (error) {
      report(error.message);
    }
    run.disabled = false;
    stop.disabled = true;
  };
  run.addEventListener("click", start);
  stop.addEventListener("click", () => stopPython("Stopped."));
  box.addEventListener("change", keepCode);
  again.addEventListener("click", () => {
    field.value = code;
    keepCode();
    field.focus();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) start();
  });
  const hint =
    "Control and Enter run it. Tab indents; Escape and then Tab leave the field. " +
    "NumPy here is a small one, made for this book; what it lacks, it says.";
  const label = element("label", {}, "Your code", field, element("small", {}, hint));
  figure.prepend(label, line, element("p", {}, status), results);
  figure.closest(".cell").querySelector(".cell_input").hidden = true; // the field holds it now
  field.focus();
  startPython(report)
    .then(() => pythonWorker.ready)
    .then(() => report("Python is ready."))
    .catch((error) => report(error.message));
}

parts.exercise = (figure, { name, code }) => {
  if (!canRunPython() || !("python" in FILES)) return;
  const size = sizeOf(FILES.python.bytes + FILES.exercises.bytes);
  const text = `Write and check it here (loads Python, ${size})`;
  const button = element("button", { type: "button" }, text);
  const done = element("span", { class: "mb-done" });
  const tell = () => {
    done.textContent = remembered()?.done[name] === undefined ? "" : " Solved.";
  };
  document.addEventListener("minibert-memory", tell);
  tell();
  button.addEventListener("click", () => {
    button.remove();
    openEditor(figure, name, code);
  });
  figure.prepend(button, done);
  figure.hidden = false;
};
