import type { HostProgram } from '@nccl-ts/checker';
import type { AuthorFile } from '../../author-range.ts';

/** The author's program, whose files can be loaded with changes. */
export interface AuthorProgram {
  readonly host: HostProgram;
  /** The text of a file in which a kernel is; `undefined` if that must not be changed. */
  readonly textOf: (path: string) => string | undefined;
  /**
   * Loads the program with another text of one file, and returns its host. Rejects if that cannot
   * be loaded.
   */
  readonly load: (file: AuthorFile) => Promise<HostProgram>;
}
