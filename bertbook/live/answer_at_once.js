// How a figure answers by itself: when it is seen, it loads its model, and the answer comes in
// sight word by word. On the landing page.

const AT_LEAST = 500; // milliseconds for which the question stands there alone
const AT_MOST = 1500; // then what is stored is shown until the model has come
const ARRIVES = 3000;

function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

/** Wait until some of an element can be seen. */
function inSight(seen) {
  return new Promise((done) => {
    const observer = new IntersectionObserver((changes) => {
      if (!changes.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      done();
    });
    observer.observe(seen);
  });
}

/** Let shades come word by word, then bars row by row, then the line below them. */
function putOneAfterAnother({ sentence, answers, status }) {
  const parts = [
    ...sentence.querySelectorAll("button"),
    ...answers.querySelectorAll("tbody tr"),
    status,
  ];
  parts.forEach((part, number) => part.style.setProperty("--turn", number));
}

/** Let the model of a BlankFigure answer, unless its reader wants to save data. */
async function answerAtOnce(figure, blank) {
  if (navigator.connection?.saveData) return;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (!isCalm) figure.classList.add("mb-waiting");
  await inSight(figure);
  const show = () => blank.show();
  const loaded = blank.load().then(show, show); // without its file, what is stored stays
  if (isCalm) return;
  await Promise.all([pause(AT_LEAST), Promise.race([loaded, pause(AT_MOST)])]);
  putOneAfterAnother(blank);
  figure.classList.replace("mb-waiting", "mb-arriving");
  await pause(ARRIVES);
  figure.classList.remove("mb-arriving");
}
