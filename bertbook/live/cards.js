// Flashcards that come back after 1, 3, 7 and 21 days, if the page may remember.

/** Name a card by its front: an address that is the same on all pages. */
function cardName(card) {
  return card.querySelector("summary").textContent.trim();
}

/** Say when a card comes again. */
function dueTold(card, day) {
  const days = (card?.due ?? day) - day;
  if (days <= 0) return "due today";
  return days === 1 ? "due tomorrow" : `due in ${days} days`;
}

/** Build the two buttons below the back of a card. */
function cardButtons(name) {
  const note = element("small", { "aria-live": "polite" });
  const answer = (text, isKnown) => {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => {
      remember((all) => {
        all.cards[name] = nextCard(all.cards[name], isKnown, today());
      });
    });
    return button;
  };
  const buttons = [answer("I knew it", true), answer("Not yet", false)];
  return { line: element("p", { class: "mb-known" }, ...buttons, " ", note), note };
}

/** Give a deck its buttons, and a box that leaves only what is due. */
function mountDeck(deck) {
  const cards = [...deck.querySelectorAll("details")].map((card) => {
    const name = cardName(card);
    const { line, note } = cardButtons(name);
    return { card, name, line, note };
  });
  const box = element("input", { type: "checkbox" });
  const told = element("span", { "aria-live": "polite" });
  const choice = element("label", { class: "mb-due" }, box, " Only what is due: ", told);
  deck.before(choice);
  const show = () => {
    const all = remembered();
    const day = today();
    const isDue = (name) => (all?.cards[name]?.due ?? day) <= day;
    choice.hidden = !all;
    told.textContent = `${cards.filter(({ name }) => isDue(name)).length} of ${cards.length}`;
    for (const { card, name, line, note } of cards) {
      if (!all) line.remove();
      else if (!line.isConnected) card.append(line); // moved, a button would lose the focus
      note.textContent = memoryTrouble() || dueTold(all?.cards[name], day);
      card.hidden = Boolean(all) && box.checked && !isDue(name) && !card.open;
    }
  };
  box.addEventListener("change", show);
  document.addEventListener("minibert-memory", show);
  show();
}

/** Give all decks of the page their buttons. */
function mountCards() {
  document.querySelectorAll(".mb-cards").forEach(mountDeck);
}
