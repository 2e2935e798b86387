import type { TracedAccess } from '@nccl-ts/codegen';
import type { SliceArgs, SliceCategory } from '@nccl-ts/core';
import type { ChangeName, ChangeSource, WordChange } from './word-changes.ts';

/** A slice that may still grow. */
export interface Growing {
  readonly name: string;
  readonly category: SliceCategory;
  readonly start: number;
  readonly args: SliceArgs;
  readonly site: number;
  end: number;
  /** For a wait: the change that ended it. */
  change: WordChange | undefined;
  /** The bytes from and to peers. */
  loads: number;
  stores: number;
}

/** A change of a word that is in progress. */
export interface OpenChange extends ChangeSource {
  word: number;
  how: TracedAccess['how'];
  made: number;
  seen: number;
  name: ChangeName;
}
