import type { KernelDiagnosticCode } from './diagnostic-code.ts';
import type { Span } from './span.ts';

export type Severity = 'error' | 'warning';

/** A span and its message. The first label of a diagnostic is the primary one. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/**
 * An error in a kernel, as data. `renderDiagnostic` turns it into text.
 *
 * Codes are API and stable (`K`: the kernel language, `P`: PTX); messages are not. `hint` suggests
 * a replacement.
 */
export interface Diagnostic {
  readonly code: KernelDiagnosticCode | `P${number}`;
  readonly severity: Severity;
  readonly message: string;
  readonly labels: readonly Label[];
  readonly notes: readonly string[];
  readonly hint?: string;
}
