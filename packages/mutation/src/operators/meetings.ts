import { WARP_SIZE } from '@nccl-ts/core';
import type { Coop, SyncStatement } from '@nccl-ts/ir';
import type { CodeChange, Operator } from './operator.ts';

/** True if more than one thread synchronizes. */
function meets(coop: Coop): boolean {
  return coop.kind !== 'tile' || coop.size > 1;
}

function isWiderThanWarp(coop: Coop): boolean {
  return coop.kind === 'cta' || coop.kind === 'warpSpan';
}

/** Removes synchronizations of threads, or restricts them to each warp. */
export const breakSync: Operator = ({ statement: s }) => {
  if (s.kind !== 'sync' || !meets(s.coop)) return [];
  const removed: CodeChange = { operator: 'sync-removed', does: 'is removed', becomes: [] };
  if (!isWiderThanWarp(s.coop)) return [removed];
  const narrow: SyncStatement = Object.freeze({ ...s, coop: Object.freeze({ kind: 'tile', size: WARP_SIZE }) });
  return [removed, { operator: 'sync-narrowed', does: 'is one of each warp', becomes: [narrow] }];
};
