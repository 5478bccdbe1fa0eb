// The dialog of a call that rings.

import { text } from "../strings.js";
import { handleOf } from "./describe.js";
import { Timers } from "../timers.js";

/** The time without a key after which keys reach the dialog that has interrupted somebody who was typing. */
const PAUSE_IN_TYPING = 1500;
/** The time for which the dialog takes nothing, because what is pressed was meant for what it has covered. */
const PAUSE_AT_OPENING = 700;
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
  #buttons;
  /** The button on which the pointer went down while it could be pressed. */
  #pressed = null;

  /** @param {RingHandlers} handlers */
  constructor({ onAnswer, onDecline, onMute }) {
    const acts = { "ring-answer": onAnswer, "ring-decline": onDecline, "ring-mute": onMute };
    this.#buttons = Object.entries(acts).map(([id, act]) => this.#button(id, act));
    for (const type of ["keydown", "keyup"]) {
      this.#dialog.addEventListener(type, (event) => this.#ignoreKey(event), { capture: true });
    }
    this.#dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (!this.#ignoresKeys) onDecline();
    });
    // Browsers may close a dialog without asking with “cancel”.
    this.#dialog.addEventListener("close", () => {
      if (this.#dialog.open) return;
      if (this.#ignoresKeys) this.#open();
      else onDecline();
    });
  }

  /** @param {{name: string, username?: string}} person */
  show(person) {
    element("ring-name").textContent = person.name;
    element("ring-username").textContent = handleOf(person);
    if (this.#dialog.open) return;
    const wasTyping = document.activeElement?.matches(TEXT_FIELD);
    this.#open();
    this.#enable(false);
    this.#timers.start("opening", PAUSE_AT_OPENING, () => this.#enable(true));
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

  #button(id, act) {
    const button = element(id);
    button.addEventListener("pointerdown", () => (this.#pressed = button));
    button.addEventListener("click", ({ detail }) => {
      // A click without a pointer, such as that of a key or of a screen reader, has no detail.
      if (detail === 0 || this.#pressed === button) act();
    });
    return button;
  }

  #enable(isEnabled) {
    this.#pressed = null;
    for (const button of this.#buttons) button.disabled = !isEnabled;
  }

  get #isTyping() {
    return this.#timers.isRunning("typing");
  }

  get #ignoresKeys() {
    return this.#isTyping || this.#timers.isRunning("opening");
  }

  #awaitPause() {
    this.#timers.start("typing", PAUSE_IN_TYPING, () => {});
  }

  #ignoreKey(event) {
    if (!this.#ignoresKeys) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.#isTyping && event.type === "keydown") this.#awaitPause();
  }
}

/** The title of the page while a person calls. */
export function ringTitle(name) {
  return `${name} ${text("chat.call.ring")}`;
}
