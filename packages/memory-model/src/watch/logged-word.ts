import type { ScopeWidth } from '../scope.ts';
import type { EpochId } from './epochs.ts';
import type { LoggedChange } from './logged-change.ts';
import type { Published } from './published.ts';
import type { Shadow } from './shadow.ts';
import type { Snapshot } from './snapshot.ts';
import type { SyncWord } from './sync-words.ts';
import type { LoggedRead } from './word-log.ts';

/** A word, passed to the watch before an access. */
export interface LoggedWord {
  readonly shadow: Shadow;
  readonly address: number;
  readonly bytes: number;
  /** The newest epoch in its cell. */
  readonly epoch: EpochId;
}

/** Describes the load of a word. */
export interface How {
  /** The scope in which the load acquires. Absent if it does not acquire. */
  readonly acquires: ScopeWidth | undefined;
  /**
   * The source locations at which the value may leave the thread. Absent if it may leave in other
   * ways too.
   */
  readonly usedAt: (() => ReadonlySet<number> | undefined) | undefined;
}

/** A change of a word. */
export interface LoggedWrite extends LoggedChange {
  readonly who: number;
  readonly stamp: number;
  readonly alone: SyncWord;
  readonly whole: SyncWord;
  /** The published clocks that matter to threads that do not read the write. */
  readonly needed: readonly Published[];
  readonly request?: LoggedRead | undefined;
  /** For a write by the network: everything before its request was posted. */
  readonly posted?: Snapshot | undefined;
}

/** The writes that a wait reads in every run. */
export interface Passing {
  /** If absent, the wait reads the current contents. */
  readonly takes: readonly SyncWord[] | undefined;
  /** True if the wait counts as having seen the last of these writes. */
  readonly sees: boolean;
}
