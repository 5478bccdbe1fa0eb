// Short texts about people that the browser keeps for one account, such as drafts.

export class Kept {
  #place;
  /** The texts that the browser does not keep; the chat works without storage too. */
  #unkept = new Map();

  /**
   * @param {string} kind
   * @param {number} own the ID of the account
   */
  constructor(kind, own) {
    this.#place = `callrunner.${kind}.${own}.`;
  }

  /** Returns the text about a person; an empty one if there is none. */
  get(id) {
    if (this.#unkept.has(id)) return this.#unkept.get(id);
    try {
      // Other tabs change what is kept, so it is read anew.
      return localStorage.getItem(this.#place + id) ?? "";
    } catch {
      return "";
    }
  }

  /** Keeps the text about a person, or forgets it if it is empty. */
  set(id, text) {
    try {
      if (text) localStorage.setItem(this.#place + id, text);
      else localStorage.removeItem(this.#place + id);
      this.#unkept.delete(id);
    } catch {
      this.#unkept.set(id, text);
    }
  }
}
