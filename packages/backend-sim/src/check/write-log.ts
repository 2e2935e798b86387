import type { FindingLabel } from '@nccl-ts/findings';
import type { CtaIdentity } from '@nccl-ts/transport';
import { lastWrites, type HappensBefore, type SeenAccess } from '@nccl-ts/memory-model';
import type { SimWindow } from '../memory/sim-window.ts';
import type { HeapViews } from '@nccl-ts/codegen';

/** The number of bytes at the start of each copy of a window that are watched. */
export const LOGGED_BYTES = 1024;

const WORD = 4;

/** A word of a window that was written in a turn. */
export interface LoggedWrite {
  /** The name of the window in messages: `window 2`. */
  readonly window: string;
  /** The rank in the world that owns the copy. */
  readonly rank: number;
  /** The byte offset in the copy, a multiple of 4. */
  readonly offset: number;
  /** The 4 bytes after the turn. */
  readonly bytes: readonly number[];
  /** The last writers, oldest first. There are several if they are not ordered. */
  readonly by: readonly FindingLabel[];
}

/** A turn of a CTA, with the writes to windows that it made. */
export interface SimTurn {
  /** The index from 0. The first turn contains what hosts wrote before it. */
  readonly turn: number;
  /** The CTA that ran. It is absent for writes by hosts and the network before the next turn. */
  readonly cta?: CtaIdentity;
  readonly writes: readonly LoggedWrite[];
}

export interface WriteLogOptions {
  readonly order: HappensBefore;
  readonly label: (access: SeenAccess) => FindingLabel;
  /** Returns the current windows, without those of device communicators. */
  readonly windows: () => readonly SimWindow[];
  readonly views: () => HeapViews;
  readonly onTurn: (turn: SimTurn) => void;
}

/** Reports which words each turn has written, based on the checker's records. */
export class WriteLog {
  readonly #options: WriteLogOptions;
  /** By address: the last writers of the word, as reported so far. */
  readonly #known = new Map<number, string>();
  #turns = 0;
  #cta: CtaIdentity | undefined;

  constructor(options: WriteLogOptions) {
    this.#options = options;
  }

  /** Called when a turn of `cta` begins. */
  begins(cta: CtaIdentity): void {
    this.#notify(undefined);
    this.#cta = cta;
  }

  ends(): void {
    this.#notify(this.#cta);
    this.#cta = undefined;
  }

  /** Reports what was written after the last turn. */
  flush(): void {
    this.#notify(undefined);
  }

  #notify(cta: CtaIdentity | undefined): void {
    const writes = this.#writes();
    // A turn without writes is also a step of its CTA.
    if (cta === undefined && writes.length === 0) return;
    this.#options.onTurn({ turn: this.#turns++, ...(cta === undefined ? {} : { cta }), writes });
  }

  #writes(): readonly LoggedWrite[] {
    const { order, windows, views, label } = this.#options;
    const { u8 } = views();
    const writes: LoggedWrite[] = [];
    for (const { name, bytes, addresses, group } of windows()) {
      for (const [index, base] of addresses.entries()) {
        const rank = group.members[index];
        if (rank === undefined) continue;
        for (let offset = 0; offset < Math.min(bytes, LOGGED_BYTES); offset += WORD) {
          const address = base + offset;
          const last = lastWrites(order, address);
          if (last.length === 0) continue;
          const key = last.map(({ who, stamp, site }) => `${who} ${stamp} ${site}`).join();
          if (this.#known.get(address) === key) continue;
          this.#known.set(address, key);
          const by = last.map(label);
          writes.push({ window: name, rank, offset, bytes: [...u8.subarray(address, address + WORD)], by });
        }
      }
    }
    return writes;
  }
}
