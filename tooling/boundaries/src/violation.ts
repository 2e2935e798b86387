/** The names of the rules; they stand in the output, and tests ask for them. */
export type Rule =
  | 'anatomy'
  | 'deep-import'
  | 'default-export'
  | 'exports-map'
  | 'file-name'
  | 'import-circle'
  | 'index-re-exports-only'
  | 'layer'
  | 'node-built-in'
  | 'references'
  | 'side-effect-import'
  | 'syntax'
  | 'too-long'
  | 'undeclared-dependency'
  | 'unknown-package'
  | 'unused-dependency';

/** One finding: the file, the rule, and the fix. */
export interface Violation {
  readonly rule: Rule;
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}
