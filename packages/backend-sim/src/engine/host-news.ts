/**
 * Messages to host programs about launches. They are delivered at once, or kept until the current
 * slice has ended.
 */
export class HostNews {
  readonly #kept: (() => void)[] = [];
  #keeps = false;

  readonly tell = (told: () => void): void => {
    if (this.#keeps) this.#kept.push(told);
    else told();
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
    if (this.#kept.length === 0) return;
    for (const told of this.#kept.splice(0)) told();
  }
}
