import { isMemoryOrder, type MemoryOrder } from '@nccl-ts/core';
import {
  mapBody,
  mapStatementParts,
  type AtomicAccess,
  type Body,
  type CallStatement,
  type Statement,
} from '@nccl-ts/ir';
import { wordOf, withWord } from './call-words.ts';
import type { CodeChange, Operator } from './operator.ts';

/** The part that an order loses. */
type Loss = 'total-order' | 'acquire' | 'release';

const without: Readonly<Record<Loss, Readonly<Record<MemoryOrder, MemoryOrder>>>> = {
  'total-order': { seq_cst: 'acq_rel', acq_rel: 'acq_rel', release: 'release', acquire: 'acquire', relaxed: 'relaxed' },
  acquire: { seq_cst: 'seq_cst', acq_rel: 'release', release: 'release', acquire: 'relaxed', relaxed: 'relaxed' },
  release: { seq_cst: 'seq_cst', acq_rel: 'acquire', release: 'relaxed', acquire: 'acquire', relaxed: 'relaxed' },
};

const losses: Readonly<Record<MemoryOrder, readonly Loss[]>> = {
  seq_cst: ['total-order'],
  acq_rel: ['acquire', 'release'],
  release: ['release'],
  acquire: ['acquire'],
  relaxed: [],
};

/**
 * Weakens the order of a call by one step, and so everything inside the call that depends on it.
 */
export const weakenCallOrder: Operator = ({ statement: s }) => {
  if (s.kind !== 'call' || s.body === undefined) return [];
  const order = wordOf(s, 'order');
  if (!isMemoryOrder(order)) return [];
  return losses[order].map((loss): CodeChange => {
    const given = without[loss][order];
    return {
      operator: 'call-order-weakened',
      detail: given,
      does: `is made with the order ${given}, not ${order}`,
      becomes: [weakenCall(s, loss)],
    };
  });
};

function weakenCall(s: CallStatement, loss: Loss): CallStatement {
  const order = wordOf(s, 'order');
  const statics = isMemoryOrder(order) ? withWord(s, 'order', without[loss][order]) : s.statics;
  return Object.freeze({ ...s, statics, ...(s.body !== undefined && { body: weakenBody(s.body, loss) }) });
}

function weakenBody(body: Body, loss: Loss): Body {
  const parts = {
    expression: <T>(e: T): T => e,
    target: (id: number): number => id,
    body: (inner: Body): Body => weakenBody(inner, loss),
  };
  return Object.freeze(
    body.flatMap((s): Body => {
      if (s.kind === 'call') {
        if (s.name === 'gin.acquire') return loss === 'acquire' ? [] : [s];
        // A call without an order argument keeps its order, which does not depend on this one's.
        return wordOf(s, 'order') === undefined ? [s] : [weakenCall(s, loss)];
      }
      return weakenStatement(mapStatementParts(s, parts), loss);
    }),
  );
}

function weakenStatement(s: Statement, loss: Loss): Body {
  if (s.kind === 'fence') {
    const order = without[loss][s.access.order];
    return order === 'relaxed' ? [] : [Object.freeze({ ...s, access: withOrder(s.access, order) })];
  }
  if (s.kind !== 'load' && s.kind !== 'store' && s.kind !== 'atomic') return [s];
  if (s.access === undefined) return [s];
  const half = s.kind === 'load' ? 'acquire' : s.kind === 'store' ? 'release' : 'acq_rel';
  const order = s.access.order === 'seq_cst' && loss === 'total-order' ? half : without[loss][s.access.order];
  return [Object.freeze({ ...s, access: withOrder(s.access, order) })];
}

function withOrder(access: AtomicAccess, order: MemoryOrder): AtomicAccess {
  return order === access.order ? access : Object.freeze({ ...access, order });
}

/** The fence levels of a GIN barrier, each with the weaker ones. */
const lower: Readonly<Record<string, readonly { readonly level: string; readonly loses: 'put' | 'get' }[]>> = {
  putGet: [
    { level: 'get', loses: 'put' },
    { level: 'put', loses: 'get' },
  ],
  put: [{ level: 'none', loses: 'put' }],
  get: [{ level: 'none', loses: 'get' }],
};

/**
 * Lowers the fence level of a GIN barrier: its signals do not cover puts, or gets are not flushed.
 */
export const lowerCallFence: Operator = ({ statement: s }) => {
  if (s.kind !== 'call' || s.body === undefined) return [];
  const fence = wordOf(s, 'fence');
  return (fence === undefined ? [] : (lower[fence] ?? [])).map(({ level, loses }): CodeChange => ({
    operator: 'call-fence-lowered',
    detail: level,
    does: `is made with the fence ${level}, not ${fence}`,
    becomes: [lowerFence(s, loses)],
  }));
};

function lowerFence(s: CallStatement, loses: 'put' | 'get'): CallStatement {
  const fence = wordOf(s, 'fence');
  const level = fence === undefined ? undefined : lower[fence]?.find((step) => step.loses === loses)?.level;
  if (level === undefined || s.body === undefined) return s;
  const gone = loses === 'put' ? 'gin.acquire' : 'gin.flush';
  const body = mapBody(s.body, {
    statement: (inner) => {
      if (inner.kind !== 'call') return inner;
      return inner.name === gone ? [] : lowerFence(inner, loses);
    },
  });
  return Object.freeze({ ...s, statics: withWord(s, 'fence', level), body });
}
