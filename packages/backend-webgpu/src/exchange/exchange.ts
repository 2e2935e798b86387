import type { Replica } from '../memory/replica.ts';
import { ChangeFinder, type ByBytes } from './change-finder.ts';
import { bytesOf, isEmpty, mayOverlap, type ChangeList } from './change-list.ts';
import { ChangeWriter } from './change-writer.ts';
import type { WordRange } from './compared-ranges.ts';

/** What devices have told each other so far. */
export interface ExchangeCosts {
  /** How often they did. */
  readonly count: number;
  /** Bytes of memory that were compared with what was agreed on. */
  readonly comparedBytes: number;
  /** Bytes that came from the devices, each of which went to every other one. */
  readonly changedBytes: number;
}

/** Of a world whose devices tell each other nothing. */
export const noCosts: ExchangeCosts = Object.freeze({ count: 0, comparedBytes: 0, changedBytes: 0 });

/** What is found on one device, and done there. */
interface Side {
  readonly finder: ChangeFinder;
  readonly writer: ChangeWriter;
}

/**
 * Makes the memory of several devices the same again, after kernels have run.
 *
 * A device's changes are the words that differ from what all had agreed on. They are made on the
 * others in the order of the devices, so that all end up with the same where several have changed
 * one word.
 */
export class Exchange {
  readonly #sides: readonly Side[];
  #searching = new Set<number>();
  #failure: Error | undefined;
  #count = 0;
  #comparedBytes = 0;
  #changedBytes = 0;

  /** @throws NcclError `NCCLTS_OUT_OF_MEMORY` */
  static async create(replicas: readonly Replica[]): Promise<Exchange> {
    const side = async (replica: Replica): Promise<Side> => ({
      finder: await ChangeFinder.create(replica),
      writer: await ChangeWriter.create(replica),
    });
    return new Exchange(await Promise.all(replicas.map(side)));
  }

  private constructor(sides: readonly Side[]) {
    this.#sides = sides;
  }

  get costs(): ExchangeCosts {
    return { count: this.#count, comparedBytes: this.#comparedBytes, changedBytes: this.#changedBytes };
  }

  /**
   * What finds the changes that kernels make on a device, in `ranges` and nowhere else; `undefined`
   * where they make none. A search must be submitted behind the kernels before `settle`. The ranges
   * are as `merged` gives them, and the same array stands for the same ranges.
   */
  async prepare(device: number, ranges: readonly WordRange[], byBytes: ByBytes): Promise<ChangeFinder | undefined> {
    const finder = this.#sides[device]?.finder;
    if (finder === undefined || ranges.length === 0) return undefined;
    await finder.look(ranges, byBytes);
    this.#searching.add(device);
    return finder;
  }

  /**
   * When it resolves, whatever is submitted on any device finds the changes that searches have
   * found on the others.
   */
  async settle(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    let open = [...this.#searching].sort((a, b) => a - b);
    this.#searching = new Set();
    if (open.length > 0) this.#count++;
    try {
      while (open.length > 0) open = await this.#pass(open);
    } catch (error) {
      // Some may have heard of changes that others have not.
      this.#failure =
        error instanceof Error ? error : new Error('The exchange between devices failed.', { cause: error });
      throw error;
    }
  }

  dispose(): void {
    for (const { finder, writer } of this.#sides) {
      finder.dispose();
      writer.dispose();
    }
  }

  /** Answers on which devices there is more, and has searched there again. */
  async #pass(devices: readonly number[]): Promise<number[]> {
    const found = await Promise.all(
      devices.map(async (device) => {
        const finder = this.#finder(device);
        this.#comparedBytes += finder.comparedBytes;
        return { device, list: await finder.list() };
      }),
    );
    const lists = found.filter(({ list }) => !isEmpty(list));
    for (const { list } of lists) this.#changedBytes += bytesOf(list);
    for (const [device, { writer }] of this.#sides.entries()) {
      lists.forEach(({ device: from, list }, i) => {
        if (from !== device || changedAgain(list, lists.slice(0, i))) writer.write(list);
      });
    }
    const more = devices.filter((device) => this.#finder(device).more);
    await Promise.all(more.map(async (device) => this.#finder(device).again()));
    return more;
  }

  #finder(device: number): ChangeFinder {
    const side = this.#sides[device];
    if (side === undefined) throw new RangeError(`There is no device ${device}.`);
    return side.finder;
  }
}

/** True if a device has to make its own changes again, because others come before them. */
function changedAgain(own: ChangeList, before: readonly { readonly list: ChangeList }[]): boolean {
  return before.some(({ list }) => mayOverlap(own, list));
}
