import type { ScopeWidth } from '../scope.ts';
import type { LoggedChange } from './logged-change.ts';
import type { SyncWord } from './sync-words.ts';
import type { Version } from './word-log.ts';

/** Describes how a strong write is made. */
export interface StrongWrite {
  /** The width at which it releases; 0 if it is plain. */
  readonly width: ScopeWidth;
  readonly change: LoggedChange;
  /** For a read-modify-write: the word that it reads. */
  readonly chain?: SyncWord | undefined;
  /** Writes that it may also come before; absent without `determinacy`. */
  readonly beside?: ReadonlySet<Version> | undefined;
}

/** Describes how a word is read. */
export interface Taking {
  /** The words read; absent: the present contents. */
  readonly takes: readonly SyncWord[] | undefined;
  readonly acquires: boolean;
  readonly width: ScopeWidth;
}
