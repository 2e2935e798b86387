import type { Diagnostic, Source, Span } from '@nccl-ts/ir';
import { locationJson, type LocationJson } from './check/location-json.ts';
import { quotedLocation } from './quoted-location.ts';

/** A compile error of a kernel as plain JSON, for editors and web pages. */
export interface DiagnosticJson {
  readonly code: Diagnostic['code'];
  readonly severity: Diagnostic['severity'];
  readonly message: string;
  /** The locations and their messages. The first one is primary. */
  readonly labels: readonly { readonly text: string; readonly place?: LocationJson }[];
  readonly notes: readonly string[];
  /** A suggested replacement. */
  readonly hint?: string;
}

/** Converts the diagnostics of `analyseKernel` to plain values, with locations like a report's. */
export function diagnosticsToJson(
  diagnostics: readonly Diagnostic[],
  sources: readonly Source[],
): readonly DiagnosticJson[] {
  const placed = (span: Span): { readonly place?: LocationJson } => {
    const location = quotedLocation({ name: '', sources }, span);
    return location === undefined ? {} : { place: locationJson(location) };
  };
  return diagnostics.map(({ code, severity, message, labels, notes, hint }) => ({
    code,
    severity,
    message,
    labels: labels.map(({ span, text }) => ({ text, ...placed(span) })),
    notes,
    ...(hint === undefined ? {} : { hint }),
  }));
}
