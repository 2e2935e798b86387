import { isControl, statementBodies, type Body } from '@nccl-ts/ir';

/**
 * Approximate nanoseconds for a call, for copying one array in or out, and for each of its bytes;
 * then for writing a table of peers, and for one statement of one thread.
 */
const cost = { call: 30, copy: 25, byte: 0.2, table: 120, statement: 1 } as const;

/** Arrays of fewer bytes cost only their calls. */
const FEW_BYTES = 16384;

/** The number of rounds that a loop is assumed to run. */
const ROUNDS = 8;

/** The work of JavaScript around one call. */
export interface CallCost {
  readonly copies: number;
  /** The bytes of shared and local arrays that are copied in and out. */
  readonly bytes: number;
  readonly tables: number;
}

/** Returns the number of threads from which a call pays off for `body`. */
export function leastThreads(body: Body, { copies, bytes, tables }: CallCost): number {
  const copied = bytes > FEW_BYTES ? bytes * cost.byte : 0;
  const around = cost.call + copies * cost.copy + copied + tables * cost.table;
  return Math.ceil(around / Math.max(1, weight(body) * cost.statement));
}

/**
 * Returns the number of statements of one thread. Conditional statements do not count, because they
 * are often for a single thread.
 */
function weight(body: Body): number {
  return body.reduce((sum, s) => {
    if (!isControl(s)) return sum + 1;
    switch (s.kind) {
      case 'loop':
        return sum + ROUNDS * weight([...s.body, ...s.update]);
      case 'block':
      case 'call':
        return sum + weight(statementBodies(s).flat());
      case 'if':
      case 'break':
      case 'continue':
      case 'leave':
      case 'return':
        return sum + 1;
    }
  }, 0);
}
