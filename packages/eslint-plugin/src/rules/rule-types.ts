/**
 * The part of ESLint's rules that this package uses. The linters' own types are not needed to
 * compile a project that has the plugin.
 */
export interface LintRule {
  readonly meta: {
    readonly type: 'problem';
    readonly docs: { readonly description: string; readonly url: string };
    readonly fixable: 'code';
    readonly hasSuggestions: true;
    readonly schema: readonly [];
  };
  readonly create: (context: RuleContext) => { readonly Program: (node: unknown) => void };
}

export interface RuleContext {
  readonly physicalFilename: string;
  readonly sourceCode: SourceText;
  report(problem: RuleProblem): void;
}

export interface SourceText {
  readonly text: string;
  getLocFromIndex(index: number): Position;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface RuleProblem {
  readonly message: string;
  readonly loc: { readonly start: Position; readonly end: Position };
  readonly fix?: WritesFix;
  readonly suggest?: readonly { readonly desc: string; readonly fix: WritesFix }[];
}

export type WritesFix = (fixer: Fixer) => unknown[];

export interface Fixer {
  replaceTextRange(range: [number, number], text: string): unknown;
}
