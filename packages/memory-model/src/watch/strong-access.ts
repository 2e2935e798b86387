import type { ScopeWidth } from '../scope.ts';
import type { LoggedChange } from './logged-change.ts';
import type { SyncWord } from './sync-words.ts';
import type { Beside } from './word-log.ts';

/** Describes how a strong write is made. */
export interface StrongWrite {
  /** The width at which it releases, or 0 if it is plain. */
  readonly width: ScopeWidth;
  readonly change: LoggedChange;
  /** For a read-modify-write: the word that it reads. */
  readonly chain?: SyncWord | undefined;
  /** The writes that it may precede in other runs. Absent without `determinacy`. */
  readonly beside?: Beside | undefined;
}

/** Describes how a word is read. */
export interface Taking {
  /** The words read. If absent, the current contents. */
  readonly takes: readonly SyncWord[] | undefined;
  readonly acquires: boolean;
  readonly width: ScopeWidth;
}
