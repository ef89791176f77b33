import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["minibert.js", "book.js"],
    languageOptions: {
      sourceType: "script",
      // Two are of Sphinx.
      globals: { ...globals.browser, DOCUMENTATION_OPTIONS: "readonly", Search: "readonly" },
    },
  },
  { files: ["*.test.js"], languageOptions: { globals: globals.node } },
];
