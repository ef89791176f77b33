// What the tests ask of an open page: each page that their reader opens has it as `look`.
// Where it lists faults, each is the beginning of the element's HTML.

{ // the names of a page stay as they are
  const shownIn = (selector) =>
    [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const begin = (element) => element.outerHTML.slice(0, 120);

  window.look = {
    // Colored places of figures that a printer would leave white.
    pale() {
      const places = [...document.querySelectorAll(".mb-figure *")].filter((element) => {
        const { backgroundColor, backgroundImage, printColorAdjust } = getComputedStyle(element);
        const isColored = backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none";
        return isColored && printColorAdjust !== "exact";
      });
      return places.map(begin);
    },

    // Buttons that paper cannot press.
    buttons() {
      return shownIn("main :is(button, input[type=range])")
        .filter((element) => !element.closest(".mb-turn"))
        .map(begin);
    },

    formulas() {
      const count = (selector) => document.querySelectorAll(selector).length;
      return [count(".math"), count(".math mjx-container"), count("mjx-merror")];
    },

    // Number what the visible frames of a figure show: what looks the same has the same number.
    frames(figure) {
      window.seenFrames ??= new Map();
      return [...figure.querySelectorAll(".mb-frames > :not([hidden])")].map(({ innerHTML }) => {
        if (!window.seenFrames.has(innerHTML)) window.seenFrames.set(innerHTML, window.seenFrames.size);
        return window.seenFrames.get(innerHTML);
      });
    },

    // Some questions of the museum lie in folds, which a reader opens first.
    openAround(quiz) {
      const fold = quiz.closest("details");
      if (fold) fold.open = true;
    },

    replies(quiz) {
      return [...quiz.querySelectorAll(".mb-option p")].map((reply) =>
        reply.checkVisibility() ? reply.innerText : "");
    },

    // Hidden frames take time: the Tab key and axe-core pass over them, but only after a walk.
    dropHiddenFrames() {
      for (const frame of document.querySelectorAll(".mb-frames > [hidden]")) frame.replaceChildren();
    },

    // Begin at the top, as Chromium goes on from where a focused element has been, and note every
    // element that the focus comes to, until it leaves the page. Give how many stops there may be.
    followTheFocus() {
      look.dropHiddenFrames();
      const top = document.createElement("a");
      document.body.prepend(top);
      top.tabIndex = -1;
      top.focus();
      top.remove();
      window.visits = [];
      window.hasLeft = false;
      document.addEventListener("focusin", ({ target }) => {
        if (window.hasLeft) return;
        const again = target.dataset.visit && target.type !== "radio";
        target.dataset.visit = "yes";
        const style = getComputedStyle(target), box = target.getBoundingClientRect();
        window.visits.push({
          html: begin(target),
          again: Boolean(again),
          marked: style.outlineStyle !== "none",
          seen: box.width > 0 && box.height > 0,
        });
      });
      document.addEventListener("focusout", ({ relatedTarget }) => {
        window.hasLeft ||= !relatedTarget;
      });
      return document.querySelectorAll("a, button, input, select, summary, [tabindex]").length;
    },

    unreached() {
      return [...document.querySelectorAll("main :is(a[href], button, input, summary)")]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .filter((element) => !element.dataset.visit)
        .filter((element) => element.type !== "radio" ||
          !document.querySelector(`input[name="${element.name}"][data-visit]`))
        .map(begin);
    },

    unfold() {
      for (const fold of document.querySelectorAll("details")) fold.open = true;
      for (const quiz of document.querySelectorAll(".mb-quiz")) quiz.querySelector("input").click();
      for (const field of document.querySelectorAll(".mb-ask")) {
        for (const box of field.querySelectorAll("input")) box.value = "1";
        field.querySelector("button").click();
      }
    },

    // What scrolls is marked, and letters are fitted, when the page has been laid out anew.
    laidOut() {
      return new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));
    },

    // What makes the page scroll sideways.
    wider() {
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= width) return [];
      return [...document.querySelectorAll("main *")]
        .filter((element) => element.getBoundingClientRect().right > width + 1)
        .map(begin)
        .slice(0, 5).concat("the page scrolls sideways");
    },

    // The smallest letters of each picture, in pixels.
    pictures() {
      return shownIn('.mb-figure svg[style*="max-width"]').map((svg) => {
        const width = svg.getBoundingClientRect().width, drawn = svg.viewBox.baseVal.width;
        const texts = [...svg.querySelectorAll("text, tspan")].filter((text) =>
          [...text.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
        const letters = texts.map((text) => parseFloat(getComputedStyle(text).fontSize));
        return { name: svg.ariaLabel, smallest: Math.min(...letters) * width / drawn };
      });
    },

    boxes() {
      const places = ["pre", "div.math", ".mb-scroll", ".pst-scrollable-table-container"];
      return shownIn(`.bd-article :is(${places})`).map((box) => ({
        kind: box.matches("pre") ? "code" : box.matches("div.math") ? "formula" : "table",
        text: box.innerText.slice(0, 60),
        isWide: box.scrollWidth > box.clientWidth + 1,
        isFaded: getComputedStyle(box).maskImage !== "none",
        words: getComputedStyle(box, "::before").content,
        hidden: box.getBoundingClientRect().left -
          (box.querySelector("mjx-math") ?? box).getBoundingClientRect().left,
      }));
    },

    // Labels whose middle lies in a pale box of a drawing, and that stick out of it.
    outOfBoxes() {
      return shownIn("figure svg").flatMap((svg) => {
        const boxes = [...svg.querySelectorAll("path, rect")].filter((shape) => {
          const { fill, fillOpacity, opacity } = getComputedStyle(shape);
          return fill !== "none" && fillOpacity * opacity <= 0.5;
        }).map((shape) => shape.getBoundingClientRect());
        return [...svg.querySelectorAll("text")].filter((text) => {
          const { left, right, top, bottom, width, height } = text.getBoundingClientRect();
          const x = (left + right) / 2, y = (top + bottom) / 2;
          const [box] = boxes.filter((b) => b.left < x && x < b.right && b.top < y && y < b.bottom)
            .filter((b) => b.width > 12 && b.height > 0.8 * height)
            .sort((a, b) => a.width * a.height - b.width * b.height);
          return box && width && Math.max(box.left - left, right - box.right) > 1;
        }).map((text) => text.textContent.trim());
      });
    },

    // Lines of code that were broken into rows of a few characters: they began too far to the right.
    shredded() {
      return shownIn(".bd-article .code-line").filter((line) => {
        const height = parseFloat(getComputedStyle(line).lineHeight);
        const rows = Math.round(line.getBoundingClientRect().height / height);
        return rows > 2 && line.textContent.trim().length < 10 * (rows - 1);
      }).map((line) => line.textContent.trim());
    },

    // Leave one word of each kind of code, for axe-core: the others look like it.
    oneWordOfAKind() {
      look.dropHiddenFrames();
      const kinds = new Set();
      for (const word of document.querySelectorAll(".highlight pre span:not(.code-line)")) {
        const place = word.closest("[class*=highlight-]").className;
        const kind = `${word.className} in ${place} ${word.closest(".cell_output") ? "output" : ""}`;
        if (word.children.length === 0 && kinds.has(kind)) word.replaceWith(word.textContent);
        kinds.add(kind);
      }
      for (const line of document.querySelectorAll(".highlight pre .code-line"))
        if (line.children.length === 0) line.replaceWith(line.textContent);
    },

    // Alike are texts of the same color, size, weight and line, in elements of the same classes on
    // the same grounds, all the way up.
    nameWhatIsAlike() {
      const surroundings = new Map(), kinds = new Set(), first = new Set();
      for (const element of document.querySelectorAll("*")) {
        const style = getComputedStyle(element);
        const place = [
          surroundings.get(element.parentElement), element.tagName, element.getAttribute("class"),
          style.backgroundColor, style.backgroundImage, style.opacity,
        ].join();
        surroundings.set(element, place);
        const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
        const isField = element.matches("input, select, textarea"); // its text is in no node
        if (!isField && !texts.some((text) => text.data.trim())) continue;
        const kind = [
          place, style.color, style.fontSize, style.fontWeight, style.textDecorationLine,
          style.textShadow, style.visibility, style.display,
        ].join();
        if (isField || !kinds.has(kind)) first.add(element);
        kinds.add(kind);
      }
      for (const element of document.querySelectorAll("*"))
        element.toggleAttribute("data-alike", !first.has(element));
    },

    // Each formula that can be seen, with the areas of its letters; without the invisible sign
    // behind the name of a function, and what is stretched out of nothing.
    drawnFormulas() {
      const letters = "mjx-c:not(.mjx-c2061, mjx-ext > mjx-c)";
      return shownIn(".bd-article .math").map((formula) => [
        formula.dataset.tex,
        ...[...formula.querySelectorAll(letters)].map((letter) => {
          const { width, height } = letter.getBoundingClientRect();
          return width * height;
        }),
      ]);
    },

    // Copy an item with formulas: what is seen, what is copied, and the formulas.
    copied() {
      const item = [...document.querySelectorAll("li")].find((each) => each.querySelector(".math"));
      getSelection().selectAllChildren(item);
      const copied = new DataTransfer();
      item.dispatchEvent(new ClipboardEvent("copy", { clipboardData: copied, bubbles: true }));
      const formulas = [...item.querySelectorAll(".math")].map((formula) => formula.dataset.tex);
      return [item.innerText, copied.getData("text/plain"), formulas];
    },

    // The first page that the search page finds for each question; its index is made once.
    firstPages(questions) {
      const index = makeIndex();
      window.makeIndex = () => index;
      return questions.map((one) => searchIndex.pages[answer(one).pages[0]?.page]?.[0] ?? "nowhere");
    },

    // Compute rows with a model of the page: for each the shapes of its arrays, and all their
    // numbers in one text, base64 of 32-bit floats.
    compute([name, rows]) {
      return rows.map(([ids, types, options]) => {
        const found = minibert.forward(name, ids, types, options);
        const arrays = [
          found.logits, found.nextSentence, ...found.hiddenStates, ...found.attentions,
        ].filter(Boolean);
        const letters = arrays.map(({ data }) => {
          const bytes = new Uint8Array(data.slice().buffer), parts = [];
          for (let i = 0; i < bytes.length; i += 8192)
            parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
          return parts.join("");
        });
        return [arrays.map(({ shape }) => shape), btoa(letters.join(""))];
      });
    },

    // Compute with other contexts in the place of some heads' own, and note what every part gives.
    watched([ids, types, contexts]) {
      const put = contexts.map(([layer, head, shape, numbers]) => {
        return { layer, head, context: { shape, data: Float32Array.from(numbers) } };
      });
      const seen = [];
      const watch = (name, ...arrays) => seen.push([name, arrays.map(({ data }) => [...data])]);
      minibert.forward("small-world", ids, types, { watch, edits: { contexts: put } });
      return seen;
    },

    typedIds(texts) {
      return texts.map((text) => {
        const field = document.querySelector("input");
        field.value = text;
        field.dispatchEvent(new Event("input"));
        return [...document.querySelectorAll(".mb-chip small")].map((id) => id.textContent);
      });
    },

    encoded([pieces, lower, texts]) {
      const tokenizer = new minibert.WordPieceTokenizer(pieces, lower);
      return texts.map((text) => tokenizer.encode(text).inputIds);
    },

    // A training of the toy with given weights: its gradients, and its steps.
    beginTraining([hiddenWords, weights, steps]) {
      const given = {};
      for (const [name, [shape, data]] of Object.entries(weights))
        given[name] = { shape, data: Float64Array.from(data) };
      window.training = new minibert.ToyTraining(hiddenWords, { steps, seed: 0 }, given);
    },

    gradients(chosen) {
      const { weights, hiddenWords } = window.training;
      const batch = chosen.map((number) => hiddenWords[number]);
      const { gradients } = minibert.lossAndGradients(weights, batch);
      return Object.entries(gradients).map(([name, { data }]) => [name, [...data]]);
    },

    learn(chosen) {
      const { training } = window;
      return training.learn(chosen.map((number) => training.hiddenWords[number]));
    },
  };
}
