import type { PtxDiagnostic } from '../syntax/diagnostic.ts';

/**
 * Keeps one diagnostic for each span, because a function that is called twice is translated twice.
 */
export function removeDuplicates(diagnostics: readonly PtxDiagnostic[]): readonly PtxDiagnostic[] {
  const reported = new Set<string>();
  return diagnostics.filter(({ code, message, span }) => {
    const key = `${code} ${span.start} ${message}`;
    if (reported.has(key)) return false;
    reported.add(key);
    return true;
  });
}
