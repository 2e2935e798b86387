import type { KernelDiagnosticCode } from './diagnostic-code.ts';
import type { Span } from './span.ts';

export type Severity = 'error' | 'warning';

/** A span and its message. The first label of a diagnostic is the primary one. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** A replacement of the text of a span, which may be empty. */
export interface SpanEdit {
  readonly span: Span;
  readonly text: string;
}

/**
 * Edits that a tool can make. A `fix` is the only sensible edit. A `suggestion` is a guess, which a
 * person has to confirm. Other errors may become visible afterwards.
 */
export interface Repair {
  readonly kind: 'fix' | 'suggestion';
  /** The effect, as an imperative: "Call coopCta." */
  readonly title: string;
  readonly edits: readonly SpanEdit[];
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
  /** Absent if no edit follows from the error alone. */
  readonly repair?: Repair;
}
