import type { Diagnostic, Label } from '../diagnostic.ts';
import type { Span } from '../span.ts';
import { validationCodes, type ValidationFinding } from './codes.ts';

/** Collects findings. */
export type Report = (diagnostic: Diagnostic) => void;

/** Reports invalid IR, which only a bug in the compiler can cause. */
export type ReportMalformed = (finding: ValidationFinding, message: string, span: Span | undefined) => void;

/** Reports an error at `labels`. The first one is primary. */
export function finding(
  kind: ValidationFinding,
  message: string,
  labels: readonly Label[],
  rest: { readonly notes?: readonly string[]; readonly hint?: string } = {},
): Diagnostic {
  return Object.freeze({
    code: validationCodes[kind],
    severity: 'error',
    message,
    labels: Object.freeze([...labels]),
    notes: Object.freeze([...(rest.notes ?? [])]),
    ...(rest.hint !== undefined && { hint: rest.hint }),
  });
}

const compilerBug = 'This is a bug in the compiler, not in the kernel: please report it with the kernel.';

export function reportMalformed(report: Report): ReportMalformed {
  return (kind, message, span) => {
    const labels = span === undefined ? [] : [{ span, text: 'while compiling this' }];
    report(finding(kind, `Malformed IR: ${message}.`, labels, { notes: [compilerBug] }));
  };
}
