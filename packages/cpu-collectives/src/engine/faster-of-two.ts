import { medianOf } from '@nccl-ts/core';

export interface Trying {
  /**
   * The number of times that each way is tried. The first half does not count, because engines
   * improve the code and threads start meanwhile.
   *
   * @default 12
   */
  readonly turns?: number;
  /** Returns the time in any unit. @default the machine's, in milliseconds */
  readonly time?: () => number;
}

/**
 * Two ways to do one thing. The machine decides which is faster. They alternate in work that has to
 * be done anyway, so measuring costs no more than the runs of the slower one.
 */
export class FasterOfTwo<Way> {
  readonly algorithms: readonly [usual: Way, other: Way];
  readonly #times: readonly [number[], number[]] = [[], []];
  readonly #turns: number;
  readonly #time: () => number;

  constructor(usual: Way, other: Way, { turns = 12, time = () => performance.now() }: Trying = {}) {
    this.algorithms = [usual, other];
    this.#turns = turns;
    this.#time = time;
  }

  /**
   * The result after both have been tried. The other way counts as faster if half of its times are
   * shorter than half of the usual one's.
   */
  get found(): { readonly faster: Way; readonly slower: Way } | undefined {
    const [usual, other] = this.algorithms;
    if (this.#times[1].length < this.#turns) return undefined;
    const [of, against] = this.#times.map((times) => medianOf(times.slice(this.#turns >> 1)));
    return (against ?? 0) < (of ?? 0) ? { faster: other, slower: usual } : { faster: usual, slower: other };
  }

  /** Runs the work once, in the way whose turn it is. */
  turn(act: (timed: Way) => void): void {
    const [ofUsual, ofOther] = this.#times;
    const which = ofUsual.length > ofOther.length ? 1 : 0;
    const began = this.#time();
    act(this.algorithms[which]);
    this.#times[which].push(this.#time() - began);
  }
}
