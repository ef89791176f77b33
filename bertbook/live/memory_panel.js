// The panel at the end of each page, in which a reader asks the book to remember.

/** Say in words how much of something there is. */
function countOf(things, name) {
  const count = Object.keys(things).length;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** Say what is remembered. */
function memoryTold(all) {
  if (!all) return "Nothing is kept.";
  const known = Object.values(all.cards).filter(({ step }) => step >= 0);
  const parts = [
    `${countOf(all.done, "exercise")} solved`,
    `${countOf(all.quiz, "answer")} to questions`,
    `${countOf(known, "card")} known`,
  ];
  return `Kept in this browser: ${parts.join(", ")}.`;
}

/** Hand what is remembered to the reader as a file. */
function exportMemory() {
  const content = new Blob([storedText()], { type: "application/json" });
  const link = element("a", { download: "bert-by-hand.json", href: URL.createObjectURL(content) });
  link.click();
}

/** Let the reader choose a file; `report` is told what came of it. */
function chooseFile(report) {
  const field = element("input", { type: "file", accept: ".json,application/json" });
  field.addEventListener("change", async () => report(importMemory(await field.files[0].text())));
  field.click();
}

/** Let a box say whether the page remembers, and change it: it stays checked only if that works. */
function mountMemoryBox(box) {
  const show = () => {
    box.checked = remembered() !== null && !memoryTrouble();
  };
  box.addEventListener("change", () => setMemory(box.checked));
  document.addEventListener("minibert-memory", show);
  show();
}

/** Build the panel. */
function memoryPanel() {
  const box = element("input", { type: "checkbox" });
  const told = element("output", { "aria-live": "polite" });
  const button = (text, act) => {
    const made = element("button", { type: "button" }, text);
    made.addEventListener("click", act);
    return made;
  };
  const actions = element(
    "span",
    {},
    button("Export as a file", exportMemory),
    button("Delete all of it", () => {
      setMemory(false);
      box.focus(); // the button is gone
    }),
  );
  const show = (said = "") => {
    actions.hidden = storedText() === null;
    told.value = [said || memoryTrouble(), memoryTold(remembered())].filter(Boolean).join(" ");
    panel.open ||= memoryTrouble() !== "";
  };
  const lines = [
    element("p", {}, told),
    element("p", {}, actions, button("Import a file", () => chooseFile(show))),
  ];
  const text =
    " Remember the exercises I solve, my code, my answers, my flashcards and where I read. " +
    "It stays in this browser and goes nowhere.";
  const label = element("label", {}, box, element("span", {}, text));
  const summary = element("summary", {}, "This page can remember");
  const panel = element("details", { class: "mb-memory" }, summary, label, ...lines);
  mountMemoryBox(box);
  document.addEventListener("minibert-memory", () => show());
  show();
  return panel;
}

/** Let questions keep their answers: the number of the choice, by the name of the question. */
function keepAnswers() {
  const choices = [...document.querySelectorAll("[type=radio][name^=mb]")];
  const number = (radio) => choices.filter(({ name }) => name === radio.name).indexOf(radio);
  const answers = remembered()?.quiz ?? {};
  for (const radio of choices) {
    if (answers[radio.name] === number(radio)) radio.checked = true;
    radio.addEventListener("change", () => {
      remember((all) => {
        all.quiz[radio.name] = number(radio);
      });
    });
  }
}

/** Keep the section that is read, and offer on the first page to go on there. */
function keepPlace(article) {
  const root = new URL("../../", SCRIPT_ADDRESS).href;
  const page = location.href.split("#")[0].replace(root, "") || "index.html";
  if (page === "index.html") {
    const place = remembered()?.place;
    if (place) {
      const href = new URL(place.page, root).href + place.anchor;
      const link = element("a", { href }, place.title);
      article.prepend(element("p", { class: "mb-place" }, "Go on reading: ", link));
    }
    return;
  }
  window.addEventListener("pagehide", () => {
    const above = [...article.querySelectorAll("section[id]")].filter(
      (section) => section.getBoundingClientRect().top < innerHeight / 3,
    );
    const section = above.pop();
    const heading = section?.querySelector(":scope > :is(h2, h3, h4)")?.textContent;
    const names = [document.title.split(" — ")[0], heading?.replace("#", "").trim()];
    remember((all) => {
      const anchor = section ? `#${section.id}` : "";
      all.place = { page, anchor, title: names.filter(Boolean).join(": ") };
    });
  });
}

/** Give a page of the book its memory; an output in Jupyter has none. */
function mountMemory() {
  const article = document.querySelector("article.bd-article");
  if (!article || !SCRIPT_ADDRESS || document.querySelector(".mb-memory")) return;
  article.append(memoryPanel());
  keepAnswers();
  keepPlace(article);
  mountCards();
}
