import type { ScopeWidth } from '../scope.ts';
import type { LoggedChange } from './logged-change.ts';
import type { SyncWord } from './sync-words.ts';
import type { Version } from './word-log.ts';

/** How a strong write is made. */
export interface StrongWrite {
  /** How far it releases; not at all where it is plain. */
  readonly width: ScopeWidth;
  readonly change: LoggedChange;
  /** Of a read-modify-write: what it reads. */
  readonly chain?: SyncWord | undefined;
  /** Writes that it may come before as well; absent where nobody asks. */
  readonly beside?: ReadonlySet<Version> | undefined;
}

/** How a word is read. */
export interface Taking {
  /** What is read; absent: what is there. */
  readonly takes: readonly SyncWord[] | undefined;
  readonly acquires: boolean;
  readonly width: ScopeWidth;
}
