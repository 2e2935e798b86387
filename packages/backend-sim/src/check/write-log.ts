import type { FindingLabel } from '@nccl-ts/findings';
import type { CtaIdentity } from '@nccl-ts/transport';
import { lastWrites, type HappensBefore, type SeenAccess } from '@nccl-ts/memory-model';
import type { SimWindow } from '../memory/sim-window.ts';
import type { HeapViews } from '../program.ts';

/** The bytes from the beginning of each copy of a window that are watched. */
export const LOGGED_BYTES = 1024;

const WORD = 4;

/** A word of a window that was written in a turn. */
export interface LoggedWrite {
  /** The name of the window in messages: `window 2`. */
  readonly window: string;
  /** The rank, in the world, whose copy it is. */
  readonly rank: number;
  /** The byte in the copy: a multiple of 4. */
  readonly offset: number;
  /** The 4 bytes after the turn. */
  readonly bytes: readonly number[];
  /** The last writers, oldest first: several if nothing orders them. */
  readonly by: readonly FindingLabel[];
}

/** A turn of a CTA, with the writes that it left in windows. */
export interface SimTurn {
  /** From 0; the first one has what hosts wrote before the first turn. */
  readonly turn: number;
  /** The CTA that ran; absent for what hosts and the network wrote before the next turn began. */
  readonly cta?: CtaIdentity;
  readonly writes: readonly LoggedWrite[];
}

export interface WriteLogOptions {
  readonly order: HappensBefore;
  readonly label: (access: SeenAccess) => FindingLabel;
  /** The present windows, without those of device communicators. */
  readonly windows: () => readonly SimWindow[];
  readonly views: () => HeapViews;
  readonly onTurn: (turn: SimTurn) => void;
}

/** Tells which words each turn has written, by the records of the checker. */
export class WriteLog {
  readonly #options: WriteLogOptions;
  /** By address: the last writers of the word, as far as they were reported. */
  readonly #known = new Map<number, string>();
  #turns = 0;
  #cta: CtaIdentity | undefined;

  constructor(options: WriteLogOptions) {
    this.#options = options;
  }

  /** A turn of `cta` begins. */
  begins(cta: CtaIdentity): void {
    this.#tell(undefined);
    this.#cta = cta;
  }

  ends(): void {
    this.#tell(this.#cta);
    this.#cta = undefined;
  }

  /** Tells what was written after the last turn. */
  flush(): void {
    this.#tell(undefined);
  }

  #tell(cta: CtaIdentity | undefined): void {
    const writes = this.#writes();
    // A turn without writes is a step of its CTA too.
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
