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

/** One execution of an instruction by lanes of a warp. */
export interface WarpInstruction {
  /** The point in the program before the instruction. */
  readonly line: string;
}

/** The bytes of a line that the lanes of one instruction have stored so far. */
interface WarpLine {
  /** A number stands for all executions of the instructions of one source location. */
  readonly by: WarpInstruction | number;
  readonly agent: number;
  /** A bit for each word. */
  words: number;
  readonly parts: SeenPart[];
  /** The events before the start of the storing kernel. */
  readonly begin: Snapshot;
  /** The last part. */
  last: SeenAccess;
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
  /** A store to a line that was stored whole and read by another agent. */
  read: SeenAccess | undefined;
  /** The source lines of the instructions that have stored such lines, or read them. */
  readonly lines: Set<string> = new Set();
  readonly #epochs: Epochs;
  readonly #lines = new WeakMap<Shadow, Map<number, WarpLine>>();

  constructor(epochs: Epochs) {
    this.#epochs = epochs;
  }

  /**
   * Handles a store by one lane, after the shadow has it. If the instruction is not known, `by` is
   * a number for its source location and its warp.
   */
  stored(group: GroupClocks, shadow: Shadow, address: number, bytes: number, by: WarpInstruction | number): void {
    if (bytes < WORD) return;
    const id = shadow.writesAt(address).at(-1);
    if (id === undefined) return;
    const lines = this.#lines.get(shadow) ?? new Map<number, WarpLine>();
    this.#lines.set(shadow, lines);
    const number = Math.floor(address / WARP_LINE);
    const words = ((2 ** (bytes / WORD) - 1) << ((address % WARP_LINE) / WORD)) >>> 0;
    const last = seenAt(id, this.#epochs);
    let line = lines.get(number);
    if (line === undefined || line.by !== by || (line.words & words) !== 0) {
      line = { by, agent: group.agent, words: 0, parts: [], begin: group.beginning, last };
      lines.set(number, line);
    }
    line.words = (line.words | words) >>> 0;
    line.last = last;
    // A number may stand for several instructions, which are not ordered as one is.
    if (typeof by === 'object') line.parts.push({ id, ...last });
  }

  /** Handles a strong load, which may be a part of an instruction of a warp. */
  loaded(group: GroupClocks, shadow: Shadow, address: number, by: WarpInstruction | undefined): void {
    const line = this.#lines.get(shadow)?.get(Math.floor(address / WARP_LINE));
    if (line?.words !== ALL_WORDS || line.agent === group.agent) return;
    this.read ??= line.last;
    if (typeof line.by === 'object') this.lines.add(line.by.line);
    if (by !== undefined) this.lines.add(by.line);
  }

  /** Handles a read by a wait of the thread, if the order of GPUs counts. */
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
