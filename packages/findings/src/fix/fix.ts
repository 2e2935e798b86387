/** A change within one line of the author's file. */
export interface FixEdit {
  /** From 1. */
  readonly line: number;
  /** The columns to replace, from 1; `endColumn` is one past the last. Equal columns insert. */
  readonly column: number;
  readonly endColumn: number;
  /** The new text. It may have several lines. */
  readonly insert: string;
}

/** A change of the author's file that adds the missing part of a finding. */
export interface Fix {
  /** The change in a few words: `release instead of relaxed`. */
  readonly title: string;
  /** The path of the author's file. */
  readonly file: string;
  /** In the order of the text. They do not overlap, and their positions are before all changes. */
  readonly edits: readonly FixEdit[];
}
