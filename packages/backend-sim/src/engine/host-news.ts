/** Messages to host programs about launches: at once, or kept until the present slice has ended. */
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

  /** Delivers later messages at once; kept ones stay kept. */
  pass(): void {
    this.#keeps = false;
  }

  /** Tells all that was kept. */
  release(): void {
    if (this.#kept.length === 0) return;
    for (const told of this.#kept.splice(0)) told();
  }
}
