/** A replacement in the linted file. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface TextRepair {
  readonly kind: 'fix' | 'suggestion';
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

/** A mistake in the linted file, in UTF-16 offsets. */
export interface LintFinding {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly repairs: readonly TextRepair[];
}
