// The texts of the page in the language of the user.

import { english } from "./languages/en.js";
import { russian } from "./languages/ru.js";
import { ukrainian } from "./languages/uk.js";

const LANGUAGES = { en: english, uk: ukrainian, ru: russian };

/** The language: that of `?lang=`, else the first available of the browser, else English. */
export const language = choose([
  new URLSearchParams(location.search).get("lang"),
  ...(navigator.languages ?? [navigator.language]),
]);

/**
 * Returns a text with its `{fields}` replaced.
 * @param {string} key
 * @param {Record<string, string | number>} [fields]
 */
export function text(key, fields = {}) {
  const sentence = LANGUAGES[language][key] ?? english[key] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, field) => String(fields[field] ?? ""));
}

/** Whether a text with this key exists. */
export function has(key) {
  return key in english;
}

/** Formats a number in this language, with at most so many decimals. */
export function number(value, decimals = 0) {
  return new Intl.NumberFormat(language, { maximumFractionDigits: decimals }).format(value);
}

/** Sets the text of elements with `data-text`, and the label of those with `data-label`. */
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
