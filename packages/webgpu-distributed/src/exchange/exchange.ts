import type { ByBytes, ExchangeCosts, MemoryExchange, Replica, WordRange } from '@nccl-ts/backend-webgpu/devices';
import { ChangeFinder } from './change-finder.ts';
import { bytesOf, isEmpty, mayOverlap, type ChangeList } from './change-list.ts';
import { ChangeWriter } from './change-writer.ts';

/** The search and the writes on one device. */
interface Side {
  readonly finder: ChangeFinder;
  readonly writer: ChangeWriter;
}

/**
 * Makes the memory of several devices equal again after kernels have run.
 *
 * A device's changes are the words that differ from the agreed content. They are applied to the
 * others in the order of the devices, so that all have the same content even if several have
 * changed one word.
 */
export class Exchange implements MemoryExchange {
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

  async prepare(device: number, ranges: readonly WordRange[], byBytes: ByBytes): Promise<ChangeFinder | undefined> {
    const finder = this.#sides[device]?.finder;
    if (finder === undefined || ranges.length === 0) return undefined;
    await finder.look(ranges, byBytes);
    this.#searching.add(device);
    return finder;
  }

  async settle(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    let open = [...this.#searching].sort((a, b) => a - b);
    this.#searching = new Set();
    if (open.length > 0) this.#count++;
    try {
      while (open.length > 0) open = await this.#pass(open);
    } catch (error) {
      // Some devices may have received changes that others have not.
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

  /** Returns the devices with more changes, after searching there again. */
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

/** True if a device must apply its own changes again, because others precede them. */
function changedAgain(list: ChangeList, before: readonly { readonly list: ChangeList }[]): boolean {
  return before.some((earlier) => mayOverlap(list, earlier.list));
}
