import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["minibert.js", "book.js"],
    languageOptions: {
      sourceType: "script",
      globals: { ...globals.browser, DOCUMENTATION_OPTIONS: "readonly" }, // of Sphinx
    },
  },
  { files: ["*.test.js"], languageOptions: { globals: globals.node } },
];
