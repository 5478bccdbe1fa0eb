// The page's words in the reader's language.

import { english } from "./languages/en.js";
import { russian } from "./languages/ru.js";
import { ukrainian } from "./languages/uk.js";

const LANGUAGES = { en: english, uk: ukrainian, ru: russian };

/** The language in use: of `?lang=`, else the first of the browser's that is here, else English. */
export const language = choose([
  new URLSearchParams(location.search).get("lang"),
  ...(navigator.languages ?? [navigator.language]),
]);

/**
 * A sentence with its `{fields}` filled in.
 * @param {string} key
 * @param {Record<string, string | number>} [fields]
 */
export function text(key, fields = {}) {
  const sentence = LANGUAGES[language][key] ?? english[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, field) => String(fields[field] ?? ""));
}

/** Whether there is such a sentence. */
export function has(key) {
  return key in english;
}

/** A number as people of this language write it, with so many decimals at most. */
export function number(value, decimals = 0) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: decimals }).format(value);
}

/** Fills every element that names its sentence in `data-text`, or its label in `data-label`. */
export function translate(root) {
  root.documentElement.lang = language;
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", text(element.dataset.label));
  }
}

function choose(wishes) {
  const codes = wishes.filter(Boolean).map((wish) => wish.toLowerCase().split("-")[0]);
  return codes.find((code) => Object.hasOwn(LANGUAGES, code)) ?? "en";
}
