import { merged, type WordRange } from '../exchange/compared-ranges.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { WorldMemory } from '../memory/world-memory.ts';
import type { DeviceShare } from './device-share.ts';
import type { Group } from './group.ts';
import type { StatusView } from './status.ts';
import { encodeRounds } from './encode-rounds.ts';
import type { Round, Turn } from './turns.ts';

/** Submits work to devices. */
export class Dispatcher {
  readonly #memory: WorldMemory;
  readonly #exchange: Exchange | undefined;
  readonly #reached = new Map<
    DeviceShare,
    { readonly groups: readonly Group[]; readonly ranges: readonly WordRange[] }
  >();
  #dispatches = 0;

  /** @param exchange absent if no memory spans devices */
  constructor(memory: WorldMemory, exchange: Exchange | undefined) {
    this.#memory = memory;
    this.#exchange = exchange;
  }

  /** Returns the number of dispatches so far. */
  get dispatches(): number {
    return this.#dispatches;
  }

  /**
   * Runs the devices concurrently. When this resolves, they have the same memory again, and their
   * status was read.
   *
   * @param rounds the number of rounds if no device waits for another one. Otherwise it is one,
   *   because devices see each other's changes only after a round.
   */
  async take(turns: readonly Turn[], { apart, byBytes }: Round, rounds: number): Promise<readonly StatusView[]> {
    return this.#memory.exclusive(async () => {
      const views = await Promise.all(
        turns.map(async ({ share, groups }) => {
          const finder = await this.#exchange?.prepare(share.number, this.#reach(share, groups), byBytes);
          const encode = (encoder: GPUCommandEncoder, timing: GPUComputePassTimestampWrites | undefined): void => {
            const first = apart ? 'step' : 'poll';
            encodeRounds(encoder, timing, groups, apart ? rounds : 0, first, (pass, group, pipeline) => {
              this.#dispatches++;
              group.encode(pass, pipeline);
            });
            finder?.encode(encoder);
          };
          return share.status.submit(share.slots.used, encode, finder);
        }),
      );
      await this.#exchange?.settle();
      return views;
    });
  }

  /** Returns the memory that the groups may write. It is computed once for the same groups. */
  #reach(share: DeviceShare, groups: readonly Group[]): readonly WordRange[] {
    const known = this.#reached.get(share);
    if (known?.groups.length === groups.length && groups.every((group, i) => group === known.groups[i]))
      return known.ranges;
    const ranges = merged(groups.flatMap((group) => [...group.reaches(this.#memory)]));
    this.#reached.set(share, { groups, ranges });
    return ranges;
  }
}
