/** Lets pieces of work use something exclusively, in the order of their calls. */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Returns the result of `work`, which starts when all earlier calls have ended. `work` must not
   * call this itself.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
