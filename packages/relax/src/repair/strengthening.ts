import type { PtxLocation } from '@nccl-ts/ptx';
import type { Edit } from '../edits.ts';

/** The kind of a strengthening. */
export type StrengtheningKind =
  | 'order'
  | 'fence'
  /** A sequentially consistent fence between a store and a load of another word. */
  | 'sc-fence'
  | 'proxy'
  | 'barrier'
  | 'completion'
  | 'call'
  /** A call of the network by another context. */
  | 'context'
  /** A wait for the launch before. */
  | 'grid-dependency';

/**
 * One change of a kernel after which it allows less. The text that it changes is the PTX, or the
 * author's TypeScript.
 */
export interface Strengthening {
  readonly kind: StrengtheningKind;
  /** Such as `relaxed -> release` or `insert bar.sync 0`. */
  readonly does: string;
  /** The instruction that changes, or the one before which another is inserted. */
  readonly instruction: string;
  /** The changes of the text. A compiler may have made several copies of one instruction. */
  readonly edits: readonly Edit[];
  /** The lines of the text, from 1. */
  readonly lines: readonly number[];
  /** How much it changes; an order that is added to an instruction is 1. */
  readonly cost: number;
  /**
   * True if it gives an order to an access that is made as one to plain data. That silences a race,
   * and the kernel still does not wait for what it reads.
   */
  readonly silences: boolean;
  /** The number of branches that may jump over it. */
  readonly depth: number;
  /** The names that a TypeScript function must take for it. */
  readonly needs?: readonly NeededName[];
  /** The author's places, if the PTX names them: of the instruction, or of both neighbours. */
  readonly own?: PtxLocation | undefined;
  readonly before?: PtxLocation | undefined;
  readonly after?: PtxLocation | undefined;
  /** The change of the author's source and the PTX that comes of it, if it was made there. */
  readonly written?: WrittenChange;
}

/** A change of an author's source, which was compiled again. */
export interface WrittenChange {
  readonly edits: readonly Edit[];
  readonly text: string;
}

/** A name of the device API that a function has to take from its first parameter. */
export interface NeededName {
  readonly name: string;
  /** The offset of the brace that opens the first parameter. */
  readonly brace: number;
}
