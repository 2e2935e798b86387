/**
 * What host programs are told of launches: at once, or kept until the slice that is in progress has
 * ended.
 */
export class HostNews {
  readonly #kept: (() => void)[] = [];
  #keeps = false;

  readonly tell = (told: () => void): void => {
    if (this.#keeps) this.#kept.push(told);
    else told();
  };

  /** From now on what is told is kept. */
  keep(): void {
    this.#keeps = true;
  }

  /** What is told is told at once; what was kept stays kept. */
  pass(): void {
    this.#keeps = false;
  }

  /** Tells all that was kept. */
  release(): void {
    if (this.#kept.length === 0) return;
    for (const told of this.#kept.splice(0)) told();
  }
}
