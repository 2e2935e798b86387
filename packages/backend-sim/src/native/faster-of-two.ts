import { machineTime } from '../engine/machine-time.ts';

export interface Trying {
  /**
   * So often each is tried. The first half does not count: engines make code better meanwhile, and
   * threads start. @default 12
   */
  readonly turns?: number;
  /** In any unit. @default the machine's, in milliseconds */
  readonly time?: () => number;
}

/**
 * Two ways to do one thing, of which the machine decides which is faster. They alternate in
 * necessary work, so that measuring costs no more than the runs of the slower one.
 */
export class FasterOfTwo<Way> {
  readonly ways: readonly [usual: Way, other: Way];
  readonly #times: readonly [number[], number[]] = [[], []];
  readonly #turns: number;
  readonly #time: () => number;

  constructor(usual: Way, other: Way, { turns = 12, time = machineTime }: Trying = {}) {
    this.ways = [usual, other];
    this.#turns = turns;
    this.#time = time;
  }

  /**
   * The result, after both had their runs: the other way is faster if half its times are shorter
   * than half of the usual one's.
   */
  get found(): { readonly faster: Way; readonly slower: Way } | undefined {
    const [usual, other] = this.ways;
    if (this.#times[1].length < this.#turns) return undefined;
    const [of, against] = this.#times.map((times) => medianOf(times.slice(this.#turns >> 1)));
    return (against ?? 0) < (of ?? 0) ? { faster: other, slower: usual } : { faster: usual, slower: other };
  }

  /** Runs the work once, with the variant whose turn it is. */
  turn(act: (way: Way) => void): void {
    const [ofUsual, ofOther] = this.#times;
    const which = ofUsual.length > ofOther.length ? 1 : 0;
    const began = this.#time();
    act(this.ways[which]);
    this.#times[which].push(this.#time() - began);
  }
}

function medianOf(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
