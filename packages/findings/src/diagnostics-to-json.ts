import type { Diagnostic, Source, Span } from '@nccl-ts/ir';
import { placeJson, type PlaceJson } from './check/place-json.ts';
import { placeOf } from './source-place.ts';

/** A compile error of a kernel as plain JSON, for editors and web pages. */
export interface DiagnosticJson {
  readonly code: Diagnostic['code'];
  readonly severity: Diagnostic['severity'];
  readonly message: string;
  /** The locations and their messages. The first one is primary. */
  readonly labels: readonly { readonly text: string; readonly place?: PlaceJson }[];
  readonly notes: readonly string[];
  /** A suggested replacement. */
  readonly hint?: string;
}

/** Converts the diagnostics of `analyseKernel` to plain values, with locations like a report's. */
export function diagnosticsToJson(
  diagnostics: readonly Diagnostic[],
  sources: readonly Source[],
): readonly DiagnosticJson[] {
  const placed = (span: Span): { readonly place?: PlaceJson } => {
    const place = placeOf({ name: '', sources }, span);
    return place === undefined ? {} : { place: placeJson(place) };
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
