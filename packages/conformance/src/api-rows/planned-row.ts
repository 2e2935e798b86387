import type { ApiRow, PlannedPackage } from './api-row.ts';

/** A row that waits for its package, and so do its traps. */
export function plannedRow(id: string, planned: PlannedPackage, nccl: string, traps: readonly string[] = []): ApiRow {
  const open = { planned };
  const waiting = traps.map((trap) => ({ trap, cases: [], open }));
  return { id, nccl, here: '', cases: [], open, ...(waiting.length === 0 ? {} : { traps: waiting }) };
}
