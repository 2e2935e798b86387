import type { PtxDiagnostic } from '../syntax/diagnostic.ts';

/**
 * Keeps one diagnostic for each span, because a function that is called twice is translated twice.
 */
export function removeDuplicates(diagnostics: readonly PtxDiagnostic[]): readonly PtxDiagnostic[] {
  const told = new Set<string>();
  return diagnostics.filter(({ code, message, span }) => {
    const key = `${code} ${span.start} ${message}`;
    if (told.has(key)) return false;
    told.add(key);
    return true;
  });
}
