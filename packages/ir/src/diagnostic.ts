import type { KernelDiagnosticCode } from './diagnostic-code.ts';
import type { Span } from './span.ts';

export type Severity = 'error' | 'warning';

/** A place and what is to be said of it. The first label of a diagnostic is the primary one. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/**
 * What is wrong with a kernel. A value: rendering is separate (`renderDiagnostic`).
 *
 * Codes are API and stable (`K`: of the kernel language, `P`: of PTX); messages are not. `hint`
 * says what to write instead.
 */
export interface Diagnostic {
  readonly code: KernelDiagnosticCode | `P${number}`;
  readonly severity: Severity;
  readonly message: string;
  readonly labels: readonly Label[];
  readonly notes: readonly string[];
  readonly hint?: string;
}
