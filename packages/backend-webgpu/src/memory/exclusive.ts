/**
 * Lets one piece of work after the other have something for itself, in the order in which they ask.
 */
export class Exclusive {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * What `work` gives, which begins when all that asked before has ended. It must not ask itself.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
