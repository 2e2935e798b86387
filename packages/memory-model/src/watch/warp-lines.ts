import type { EpochId, Epochs } from './epochs.ts';
import { seenAt } from './explain.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The size of a line in bytes. NVLink delivers an aligned line whole, if one instruction of one
 * warp stores all of it.
 */
export const WARP_LINE = 128;

const WORD = 4;
const ALL_WORDS = 0xffffffff;

/**
 * Identifies one execution of a store instruction by the lanes of a warp. A number stands for all
 * executions of the instructions of one source location.
 */
export type WarpInstruction = object | number;

/** The bytes of a line that the lanes of one instruction have stored so far. */
interface WarpLine {
  readonly by: WarpInstruction;
  /** A bit for each word. */
  words: number;
  readonly parts: SeenPart[];
  /** The events before the start of the storing kernel. */
  readonly begin: Snapshot;
}

interface SeenPart extends SeenAccess {
  readonly id: EpochId;
}

/**
 * Aligned lines of 128 bytes that one instruction of one warp stores. On GPUs, a wait that reads a
 * word of such a line comes after the stores of all its lanes, and after everything before the
 * start of the storing kernel. No memory model promises this.
 */
export class WarpLines {
  /** A store to the first line that was stored whole. */
  whole: SeenAccess | undefined;
  readonly #epochs: Epochs;
  readonly #lines = new WeakMap<Shadow, Map<number, WarpLine>>();

  constructor(epochs: Epochs) {
    this.#epochs = epochs;
  }

  /** Handles a store by one lane, after the shadow has it. */
  stored(group: GroupClocks, shadow: Shadow, address: number, bytes: number, by: WarpInstruction): void {
    if (bytes < WORD) return;
    const id = shadow.writesAt(address).at(-1);
    if (id === undefined) return;
    const lines = this.#lines.get(shadow) ?? new Map<number, WarpLine>();
    this.#lines.set(shadow, lines);
    const number = Math.floor(address / WARP_LINE);
    const words = ((2 ** (bytes / WORD) - 1) << ((address % WARP_LINE) / WORD)) >>> 0;
    let line = lines.get(number);
    if (line === undefined || line.by !== by || (line.words & words) !== 0) {
      line = { by, words: 0, parts: [], begin: group.beginning };
      lines.set(number, line);
    }
    line.words = (line.words | words) >>> 0;
    // A number may stand for several instructions, which are not ordered as one is.
    if (typeof by === 'object') line.parts.push({ id, ...seenAt(id, this.#epochs) });
    if (line.words === ALL_WORDS) this.whole ??= seenAt(id, this.#epochs);
  }

  /** Handles a read by a wait of the thread. */
  polled(group: GroupClocks, thread: number, shadow: Shadow, address: number): void {
    const line = this.#lines.get(shadow)?.get(Math.floor(address / WARP_LINE));
    if (line?.words !== ALL_WORDS) return;
    const { stamp } = this.#epochs;
    const writes = shadow.writesAt(address);
    if (!line.parts.some((part) => writes.includes(part.id) && stamp[part.id] === part.stamp)) return;
    group.sees(thread, line.parts);
    group.join(thread, line.begin);
  }
}
