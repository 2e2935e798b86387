import { at } from '@nccl-ts/core';
import type { Agent } from './agent.ts';
import { agentOf, type Who } from './clock.ts';
import type { Epochs } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';
import type { WatchedSite } from './watched-site.ts';

/** The most bytes of an aligned word that network cards write at once. */
export const NETWORK_WORD = 8;

/** True for the strong load of a wait that reads a word which the network may write at once. */
export function isNetworkPoll({ bytes, access, polls }: Pick<WatchedSite, 'bytes' | 'access' | 'polls'>): boolean {
  return polls === true && access !== undefined && bytes <= NETWORK_WORD;
}

/** A thread that has waited for a word, and the write with which its wait ended. */
interface Arrival {
  readonly write: Pick<SeenAccess, 'who' | 'stamp'>;
  readonly by: Who;
  readonly stamp: number;
}

/**
 * Words of the network's writes that waits have read. Network cards write an aligned word of up to
 * 8 bytes at once, so the waiting thread comes after the write of this word, though not after that
 * of any other word of the same request.
 */
export class ArrivedWords {
  readonly #epochs: Epochs;
  readonly #agent: (index: number) => Agent;
  readonly #words = new WeakMap<Shadow, Map<number, Arrival[]>>();

  constructor(epochs: Epochs, agent: (index: number) => Agent) {
    this.#epochs = epochs;
    this.#agent = agent;
  }

  /** Handles the read with which a wait of the thread ends. */
  polled(group: GroupClocks, thread: number, shadow: Shadow, address: number, bytes: number): void {
    if (bytes > NETWORK_WORD) return;
    for (let word = address >>> 2; word * 4 < address + bytes; word++) {
      const arrivals = shadow.writesAt(word * 4).flatMap((id): readonly Arrival[] => {
        const who = at(this.#epochs.who, id);
        if (this.#agent(agentOf(who)).kind !== 'network') return [];
        const write = { who, stamp: at(this.#epochs.stamp, id) };
        return [{ write, by: group.whoBase + thread, stamp: group.stamp }];
      });
      if (arrivals.length === 0) continue;
      const words = this.#words.get(shadow) ?? new Map<number, Arrival[]>();
      this.#words.set(shadow, words);
      // Waits for replaced writes no longer matter, nor does another wait for the same one.
      const known = (words.get(word) ?? []).filter(({ write }) => arrivals.some((one) => isSame(one.write, write)));
      const isNew = (one: Arrival): boolean =>
        !known.some(({ by, write }) => by === one.by && isSame(write, one.write));
      words.set(word, [...known, ...arrivals.filter(isNew)]);
    }
  }

  /** True if the thread, or one that it comes after, has waited for this write of the word. */
  precedes(group: GroupClocks, thread: number, write: SeenAccess, shadow: Shadow, address: number): boolean {
    const arrivals = this.#words.get(shadow)?.get(address >>> 2) ?? [];
    return arrivals.some(
      (arrival) =>
        isSame(arrival.write, write) &&
        (arrival.by === group.whoBase + thread || group.isAfter(thread, arrival.by, arrival.stamp)),
    );
  }
}

function isSame(one: Arrival['write'], other: Arrival['write']): boolean {
  return one.who === other.who && one.stamp === other.stamp;
}
