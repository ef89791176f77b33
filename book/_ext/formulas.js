"use strict";

// MathJax, without a browser: formulas.py writes a line with the formulas of a page, and gets a
// line back with their HTML, or what is wrong with them, and the style sheet that the page needs.

const { createInterface } = require("node:readline");
const [packages] = process.argv.slice(2);

async function main() {
  const MathJax = await require(`${packages}/mathjax/es5/node-main.js`).init({
    loader: {
      load: ["input/tex", "output/chtml", "adaptors/liteDOM", "a11y/assistive-mml"],
      versionWarnings: false,
    },
    options: { enableAssistiveMml: true },
    tex: {
      // An unknown macro is an error, not a word in red.
      packages: { "[-]": ["noundefined", "autoload", "require"] },
      formatError: (_, error) => {
        throw error;
      },
    },
    chtml: { fontURL: "", adaptiveCSS: true },
  });
  const { adaptor, output, document } = MathJax.startup;

  function set([tex, display]) {
    try {
      return { html: adaptor.outerHTML(MathJax.tex2chtml(tex, { display })) };
    } catch (error) {
      return { fault: error.message };
    }
  }

  for await (const line of createInterface({ input: process.stdin })) {
    output.clearCache(); // the style sheet holds what has been used since
    const formulas = JSON.parse(line).map(set);
    const style = adaptor.textContent(output.styleSheet(document));
    process.stdout.write(`${JSON.stringify({ formulas, style })}\n`);
  }
}

main();
