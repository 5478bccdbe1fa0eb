// The dialog of a call that rings.

import { text } from "../strings.js";
import { Timers } from "../timers.js";

/** The time without a key after which keys reach the dialog that has interrupted somebody who was typing. */
const PAUSE_IN_TYPING = 1500;
const TEXT_FIELD = "textarea, input:not([type=radio])";

const element = (id) => document.getElementById(id);

/**
 * @typedef {object} RingHandlers
 * @property {() => void} onAnswer
 * @property {() => void} onDecline
 * @property {() => void} onMute declines, and lets this person ring no more
 */

export class RingDialog {
  #dialog = element("ring");
  #timers = new Timers();

  /** @param {RingHandlers} handlers */
  constructor({ onAnswer, onDecline, onMute }) {
    element("ring-answer").addEventListener("click", onAnswer);
    element("ring-decline").addEventListener("click", onDecline);
    element("ring-mute").addEventListener("click", onMute);
    for (const type of ["keydown", "keyup"]) {
      this.#dialog.addEventListener(type, (event) => this.#ignoreTyping(event), { capture: true });
    }
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!this.#isTyping) onDecline();
    });
    // Browsers may close a dialog without asking with “cancel”.
    this.#dialog.addEventListener("close", () => {
      if (this.#dialog.open) return;
      if (this.#isTyping) this.#open();
      else onDecline();
    });
  }

  /** @param {string} name */
  show(name) {
    element("ring-name").textContent = name;
    if (this.#dialog.open) return;
    const wasTyping = document.activeElement?.matches(TEXT_FIELD);
    this.#open();
    if (wasTyping) this.#awaitPause();
  }

  close() {
    this.#timers.cancelAll();
    this.#dialog.close();
  }

  #open() {
    this.#dialog.showModal();
    // Not a button, because the next key was meant for something else.
    this.#dialog.focus();
  }

  get #isTyping() {
    return this.#timers.isRunning("typing");
  }

  #awaitPause() {
    this.#timers.start("typing", PAUSE_IN_TYPING, () => {});
  }

  #ignoreTyping(event) {
    if (!this.#isTyping) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === "keydown") this.#awaitPause();
  }
}

/** The title of the page while a person calls. */
export function ringTitle(name) {
  return `${name} ${text("chat.call.ring")}`;
}
