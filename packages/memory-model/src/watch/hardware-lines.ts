import { LINE } from '@nccl-ts/core';
import type { ArrivedWords } from './arrived-words.ts';
import type { EpochId } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { Shadow } from './shadow.ts';
import type { Snapshot } from './snapshot.ts';
import type { WarpLines } from './warp-lines.ts';
import type { WatchedSite } from './watched-site.ts';

/** A plain store of a whole line. */
interface StoredLine {
  readonly id: EpochId;
  readonly who: number;
  readonly stamp: number;
  /** The events before the start of the storing kernel, or before its wait for earlier launches. */
  readonly begin: Snapshot;
}

/**
 * Plain stores of 16 aligned bytes, which GPUs store as a whole. A wait that reads such a line
 * comes after its store, and after everything before the start of the storing kernel. It does not
 * come after other stores of the thread.
 */
export class HardwareLines {
  readonly #lines = new WeakMap<Shadow, Map<number, StoredLine>>();
  readonly #ofWarps: WarpLines;
  /** The words of the network that waits have read. */
  readonly arrived: ArrivedWords;

  /** `ofWarps`: the lines that warps store together. */
  constructor(ofWarps: WarpLines, arrived: ArrivedWords) {
    this.#ofWarps = ofWarps;
    this.arrived = arrived;
  }

  /** Handles a plain store of a whole line, which has this epoch and the group's stamp. */
  stored(group: GroupClocks, thread: number, shadow: Shadow, address: number, id: EpochId): void {
    const { whoBase, stamp } = group;
    const line = { id, who: whoBase + thread, stamp, begin: group.launchesBefore(thread) };
    const lines = this.#lines.get(shadow) ?? new Map<number, StoredLine>();
    this.#lines.set(shadow, lines);
    lines.set(Math.floor(address / LINE), line);
  }

  /** Handles a read by a wait of the thread. */
  polled(group: GroupClocks, thread: number, shadow: Shadow, address: number, bytes: number): void {
    this.#ofWarps.polled(group, thread, shadow, address);
    this.arrived.polled(group, thread, shadow, address, bytes);
    const line = this.#lines.get(shadow)?.get(Math.floor(address / LINE));
    if (line === undefined || !shadow.writesAt(address).includes(line.id)) return;
    group.sees(thread, [line]);
    group.join(thread, line.begin);
  }
}

/** The properties that decide if an access touches a line. */
export type PolledAccess = Pick<WatchedSite, 'kind' | 'bytes' | 'access' | 'polls'>;

/**
 * True if one of two accesses is a plain store of a whole line, and the other the load of a
 * wait that reads it.
 */
export function isPolledLine(a: PolledAccess, b: PolledAccess): boolean {
  return (isLineStore(a) && b.polls === true) || (isLineStore(b) && a.polls === true);
}

function isLineStore({ kind, bytes, access }: PolledAccess): boolean {
  return kind === 'store' && bytes === LINE && access === undefined;
}

/**
 * True if `store` is a plain store of an aligned word, and `poll` is the strong load of a wait that
 * reads this word. GPUs store such a word at once.
 */
export function isPolledFlag(store: PolledAccess, poll: PolledAccess): boolean {
  const isPlainWord = store.kind === 'store' && store.access === undefined && store.bytes < LINE;
  return isPlainWord && poll.polls === true && poll.access !== undefined && poll.bytes === store.bytes;
}
