// The dialog about the person of a conversation: muting and blocking.

import { text } from "../strings.js";

const element = (id) => document.getElementById(id);

/**
 * @typedef {object} PersonHandlers
 * @property {(id: number) => boolean} isMuted
 * @property {(id: number, isMuted: boolean) => void} onMute
 * @property {(id: number) => boolean} isBlocked
 * @property {(frame: object) => boolean} send false if the inbox has no connection
 */

export class PersonDialog {
  #handlers;
  #dialog = element("person");
  /** @type {{id: number, name: string} | null} */
  #person = null;
  #canBlock = false;
  #isAsking = false;
  /** @type {{person: {id: number, name: string}, isBlocked: boolean} | null} what the server was asked to do */
  #request = null;
  #problem = "";

  /** @param {PersonHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    element("person-mute").addEventListener("click", () => {
      handlers.onMute(this.#person.id, !handlers.isMuted(this.#person.id));
      this.#dialog.close();
    });
    element("person-block").addEventListener("click", () => {
      if (handlers.isBlocked(this.#person.id)) return this.#ask(false);
      this.#isAsking = true;
      this.#show();
      element("person-close").focus();
    });
    element("person-confirm").addEventListener("click", () => this.#ask(true));
    element("person-close").addEventListener("click", () => this.#dialog.close());
  }

  /** Whether the server has not answered a request yet. */
  get isWaiting() {
    return this.#request !== null;
  }

  /**
   * @param {{id: number, name: string}} person
   * @param {boolean} canBlock whether the server can block
   */
  open(person, canBlock) {
    this.#person = person;
    this.#canBlock = canBlock;
    this.#isAsking = false;
    this.#problem = "";
    this.#show();
    this.#dialog.showModal();
  }

  /** Unblocks a person, and opens the dialog only if that fails. */
  unblock(person) {
    this.#person = person;
    this.#canBlock = true;
    this.#isAsking = false;
    this.#ask(false);
  }

  /** Ends the request that the list of blocked people fulfils. */
  changed() {
    const { person, isBlocked } = this.#request ?? {};
    if (!person || this.#handlers.isBlocked(person.id) !== isBlocked) return;
    this.#request = null;
    // Another person's dialog may have been opened meanwhile.
    if (person.id === this.#person.id) this.#dialog.close();
    else this.#show();
  }

  /** Forgets the request, as another account is used. */
  reset() {
    this.#request = null;
    this.#dialog.close();
  }

  /** Shows why the request has failed, if there is one. */
  fail(code, reason) {
    if (!this.#request) return;
    const { person, isBlocked } = this.#request;
    this.#request = null;
    const problem = code === "too_many" ? text("chat.block.too_many") : reason;
    const isOfOther = this.#dialog.open && person.id !== this.#person.id;
    this.#problem = isOfOther ? `${person.name}: ${problem}` : problem;
    if (this.#dialog.open) return this.#show();
    this.#person = person;
    this.#canBlock = true;
    this.#isAsking = isBlocked;
    this.#show();
    this.#dialog.showModal();
  }

  #ask(isBlocked) {
    this.#problem = "";
    this.#request = { person: this.#person, isBlocked };
    const isSent = this.#handlers.send({ type: isBlocked ? "block" : "unblock", userId: this.#person.id });
    if (!isSent) return this.fail("", text("chat.problem.unconnected"));
    this.#show();
  }

  #show() {
    const { id, name } = this.#person;
    const isBlocked = this.#handlers.isBlocked(id);
    const isAsking = this.#isAsking && !isBlocked;
    element("person-name").textContent = name;
    element("person-question").textContent = isAsking ? text("chat.block.question", { name }) : text("chat.mute.note");
    element("person-problem").textContent = this.#problem;
    element("person-mute").textContent = text(this.#handlers.isMuted(id) ? "chat.unmute" : "chat.mute");
    element("person-mute").hidden = isAsking;
    element("person-block").textContent = text(isBlocked ? "chat.unblock" : "chat.block");
    element("person-block").hidden = isAsking || !this.#canBlock;
    element("person-confirm").hidden = !isAsking;
    element("person-close").textContent = text(isAsking ? "chat.block.cancel" : "chat.close");
    for (const button of [element("person-block"), element("person-confirm")]) button.disabled = this.isWaiting;
  }
}
