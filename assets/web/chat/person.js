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
  /** The request under way: whether the person with this ID is to be blocked. */
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
    const { id, isBlocked } = this.#request ?? {};
    if (id === undefined || this.#handlers.isBlocked(id) !== isBlocked) return;
    this.#request = null;
    this.#dialog.close();
  }

  /** Shows why the request has failed, if there is one. */
  fail(code, reason) {
    if (!this.#request) return;
    this.#request = null;
    this.#problem = code === "too_many" ? text("chat.block.too_many") : reason;
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #ask(isBlocked) {
    const { id } = this.#person;
    this.#problem = "";
    this.#request = { id, isBlocked };
    const isSent = this.#handlers.send({ type: isBlocked ? "block" : "unblock", userId: id });
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
