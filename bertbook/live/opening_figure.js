// The figure that opens the book. Its answers stand in the page; the model is loaded when a reader
// hides another word or types a sentence.

class OpeningFigure extends BlankFigure {
  /** Leave what stands there until it has come in sight; then its words can be clicked. */
  begin(stage) {
    this.stage = stage;
    this.questions = [...stage.querySelectorAll(".mb-questions button")];
    this.questions.forEach((button, number) => {
      button.addEventListener("click", () => this.choose(this.texts[number]));
    });
    const invitation = stage.querySelector(".mb-own button");
    invitation.addEventListener("click", () => {
      const { field, own, below } = this.controls;
      invitation.replaceWith(own, this.ask, below);
      field.focus();
      this.change(this.text);
    });
    const moving = stage.getAnimations({ subtree: true }).map(({ finished }) => finished);
    Promise.allSettled(moving).then(() => this.isTaken || this.show());
  }

  /** Show a text whose answer is known without the model. */
  choose(text) {
    this.text = { ...text };
    this.show();
  }

  show() {
    this.take();
    super.show();
    for (const button of this.questions) {
      button.setAttribute("aria-pressed", button.textContent === this.text.question);
    }
  }

  /** Take the place of what stands there, once. */
  take() {
    if (this.isTaken) return;
    this.isTaken = true;
    this.stage.classList.remove("mb-arriving");
    const [sentence, answers, status] = this.stage.children;
    sentence.replaceWith(this.sentence);
    answers.replaceWith(this.answers);
    status.replaceWith(this.status);
  }

  verdict(answers, best, truth) {
    return plainVerdict(answers, best, truth);
  }
}

parts.opening = (figure, data) => new OpeningFigure(figure, data);
