import type { ApiRow } from './api-row.ts';
import { plannedRow } from './planned-row.ts';

/** Loads that reduce, and stores to all, through multicast addresses. */
export const multimem: readonly ApiRow[] = [
  plannedRow(
    '1.10/multimemAccess',
    'multimem',
    'multimem.ld_reduce, multimem.st, multimem.red on a multicast pointer',
    ['a caller outside of the team'],
  ),
];
