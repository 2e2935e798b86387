/** The names of the rules, which appear in the output and in tests. */
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
  | 'package-circle'
  | 'side-effect-import'
  | 'syntax'
  | 'too-long'
  | 'type-name'
  | 'undeclared-dependency'
  | 'unknown-package'
  | 'unused-dependency';

/** A finding: the file, the rule, and the fix. */
export interface Violation {
  readonly rule: Rule;
  readonly path: string;
  readonly line?: number;
  readonly message: string;
}
