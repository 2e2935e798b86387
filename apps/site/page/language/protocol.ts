/** A range in the program: offsets from 0. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export type LanguageRequest =
  | { readonly kind: 'problems'; readonly text: string }
  | { readonly kind: 'hover'; readonly text: string; readonly at: number }
  | { readonly kind: 'completions'; readonly text: string; readonly at: number }
  | { readonly kind: 'details'; readonly text: string; readonly at: number; readonly name: string }
  | { readonly kind: 'signature'; readonly text: string; readonly at: number };

export interface TypeProblem extends TextRange {
  readonly message: string;
}

/** TypeScript's information about a name. */
export interface Hover extends TextRange {
  readonly signature: string;
  readonly documentation: string;
}

export interface CompletionEntry {
  readonly name: string;
  readonly kind: string;
  /** The package from which the program has yet to import the name. */
  readonly module?: string;
}

export interface Completions {
  /** The start of the word that a completion replaces. */
  readonly from: number;
  readonly entries: readonly CompletionEntry[];
}

export interface CallSignature {
  readonly before: string;
  readonly parameters: readonly string[];
  readonly after: string;
  /** The index of the parameter at the cursor. */
  readonly active: number;
  readonly documentation: string;
}

export interface LanguageAnswers {
  readonly problems: readonly TypeProblem[];
  readonly hover: Hover | null;
  readonly completions: Completions | null;
  readonly details: Pick<Hover, 'signature' | 'documentation'> | null;
  readonly signature: CallSignature | null;
}
