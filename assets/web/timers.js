// Named timers: starting a timer again replaces it.

/** A call's deadlines and pauses. */
export class Timers {
  #running = new Map();

  /** @param {string} name */
  isRunning(name) {
    return this.#running.has(name);
  }

  /**
   * @param {string} name
   * @param {number} milliseconds
   * @param {() => void} act
   */
  start(name, milliseconds, act) {
    this.cancel(name);
    this.#running.set(name, setTimeout(() => {
      this.#running.delete(name);
      act();
    }, milliseconds));
  }

  /** @param {string} name */
  cancel(name) {
    clearTimeout(this.#running.get(name));
    this.#running.delete(name);
  }

  cancelAll() {
    for (const name of [...this.#running.keys()]) this.cancel(name);
  }
}
