import type { WebgpuWorldMemory } from '../memory/world-memory.ts';
import type { DeviceShare } from './device-share.ts';
import type { LaunchGroup } from './group.ts';
import { encodeRounds } from './encode-rounds.ts';
import type { MemoryExchange, WordRange } from './memory-exchange.ts';
import type { StatusView } from './status.ts';
import type { EngineRound, DeviceTurn } from './turns.ts';
import { merged } from './written-ranges.ts';

/** Submits work to devices. */
export class Dispatcher {
  readonly #memory: WebgpuWorldMemory;
  readonly #exchange: MemoryExchange | undefined;
  readonly #written = new Map<
    DeviceShare,
    { readonly groups: readonly LaunchGroup[]; readonly ranges: readonly WordRange[] }
  >();
  #dispatches = 0;

  /** @param exchange absent if no memory spans devices */
  constructor(memory: WebgpuWorldMemory, exchange: MemoryExchange | undefined) {
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
  async take(
    turns: readonly DeviceTurn[],
    { isConcurrent: apart, byBytes }: EngineRound,
    rounds: number,
  ): Promise<readonly StatusView[]> {
    return this.#memory.exclusive(async () => {
      const views = await Promise.all(
        turns.map(async ({ share, groups }) => {
          const search = await this.#exchange?.prepare(share.number, this.#writtenBy(share, groups), byBytes);
          const encode = (encoder: GPUCommandEncoder, timing: GPUComputePassTimestampWrites | undefined): void => {
            const first = apart ? 'step' : 'poll';
            encodeRounds(encoder, timing, groups, apart ? rounds : 0, first, (pass, group, pipeline) => {
              this.#dispatches++;
              group.encode(pass, pipeline);
            });
            search?.encode(encoder);
          };
          return share.status.submit(share.slots.used, encode, search);
        }),
      );
      await this.#exchange?.settle();
      return views;
    });
  }

  /** Returns the memory that the groups may write. It is computed once for the same groups. */
  #writtenBy(share: DeviceShare, groups: readonly LaunchGroup[]): readonly WordRange[] {
    const known = this.#written.get(share);
    if (known?.groups.length === groups.length && groups.every((group, i) => group === known.groups[i]))
      return known.ranges;
    const ranges = merged(groups.flatMap((group) => [...group.writes(this.#memory)]));
    this.#written.set(share, { groups, ranges });
    return ranges;
  }
}
