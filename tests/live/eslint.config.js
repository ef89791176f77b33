import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["minibert.js", "book.js"],
    languageOptions: { sourceType: "script", globals: globals.browser },
  },
  {
    files: ["english.js"],
    languageOptions: {
      sourceType: "script",
      globals: { ...globals.browser, minibert: "readonly" }, // it is loaded when that is there
    },
  },
  {
    files: ["search.js"],
    languageOptions: {
      sourceType: "script",
      // What other scripts of the search page bring.
      globals: {
        ...globals.browser,
        MiniSearch: "readonly",
        searchIndex: "readonly",
        stemmer: "readonly",
      },
    },
  },
  {
    files: ["looks.js"],
    languageOptions: {
      sourceType: "script",
      // What the pages bring that it looks at, and itself.
      globals: {
        ...globals.browser,
        look: "readonly",
        minibert: "readonly",
        makeIndex: "readonly",
        searchIndex: "readonly",
        answer: "readonly",
      },
    },
  },
  { files: ["*.test.js"], languageOptions: { globals: globals.node } },
];
