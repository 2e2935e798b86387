/**
 * Messages to host programs about launches. They are delivered at once, or kept until the current
 * slice has ended.
 */
export class HostNews {
  readonly #deferred: (() => void)[] = [];
  #keeps = false;

  readonly notify = (notice: () => void): void => {
    if (this.#keeps) this.#deferred.push(notice);
    else notice();
  };

  /** Keeps messages from now on. */
  keep(): void {
    this.#keeps = true;
  }

  /** Delivers later messages at once. Messages that are kept stay kept. */
  pass(): void {
    this.#keeps = false;
  }

  /** Delivers all messages that were kept. */
  release(): void {
    if (this.#deferred.length === 0) return;
    for (const notice of this.#deferred.splice(0)) notice();
  }
}
