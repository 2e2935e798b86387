import type { SourceLocation } from '@nccl-ts/ir';
import type { HappensBefore } from '@nccl-ts/memory-model';
import type { Participants } from './participants.ts';

/** The numbers of the source locations of the hosts' accesses. */
export class HostSites {
  readonly #order: HappensBefore;
  readonly #participants: Participants;
  /** By the position of the call. */
  readonly #known = new Map<string, number>();

  constructor(order: HappensBefore, participants: Participants) {
    this.#order = order;
    this.#participants = participants;
  }

  /** The site of the reads of a call; that of its writes is one higher. */
  of(call: SourceLocation | undefined): number {
    const key = call === undefined ? '' : `${call.file}:${call.line}:${call.column}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const reads = this.#order.addSites([
      { kind: 'load', bytes: 4 },
      { kind: 'store', bytes: 4 },
    ]);
    this.#known.set(key, reads);
    this.#participants.addHostSites({ reads, writes: reads + 1, call });
    return reads;
  }
}
