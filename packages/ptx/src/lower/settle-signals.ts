import { scalarInfo } from '@nccl-ts/core';
import {
  liftFromWait,
  mapBody,
  walkBody,
  type Body,
  type CallStatement,
  type LoadStatement,
  type Statement,
  type WaitStatement,
} from '@nccl-ts/ir';

/** The primitive that makes visible what a signal covers. */
const SETTLE = 'gin.acquire';

/**
 * Makes the kernel's own acquiring loads of 8 bytes, at system scope, reads of signals too. NCCL
 * reads signals in this way, and so do kernels that know their addresses. Those of a kernel that
 * has nothing to do with the network stay as they are.
 */
export function settleSignals(body: Body): Body {
  const called = new Set<Statement>();
  let isOnNetwork = false;
  walkBody(body, {
    statement: (s) => {
      if (s.kind !== 'call') return;
      isOnNetwork ||= s.body === undefined && s.name.startsWith('gin.');
      if (s.body !== undefined) walkBody(s.body, { statement: (inner) => void called.add(inner) });
    },
  });
  if (!isOnNetwork) return body;
  return mapBody(body, {
    statement: (s) => {
      if (s.kind === 'load' && !called.has(s) && mayReadSignal(s)) return [s, settle(s)];
      return s.kind === 'wait' && !called.has(s) ? settledBehind(s) : s;
    },
  });
}

/** A wait only reads. The words that its last round has read become visible behind it. */
function settledBehind(wait: WaitStatement): Body {
  const parts = liftFromWait(wait.body);
  // A later round would change the address of the load. Such a wait reads no signal.
  if (parts === undefined) {
    return [{ ...wait, body: mapBody(wait.body, { statement: (s) => (isSettle(s) ? [] : s) }) }];
  }
  if (parts.after.length === 0) return [wait];
  return [...parts.before, { ...wait, body: parts.body }, ...parts.after];
}

function mayReadSignal({ pointer, access }: LoadStatement): boolean {
  const { type } = pointer;
  if (access?.scope !== 'system' || (access.order !== 'acquire' && access.order !== 'seq_cst')) return false;
  if (type.kind !== 'pointer' || type.space !== 'global' || type.element.kind !== 'scalar') return false;
  return scalarInfo[type.element.scalar].bytes === 8;
}

function isSettle(s: Statement): boolean {
  return s.kind === 'call' && s.body === undefined && s.name === SETTLE;
}

function settle({ pointer, span }: LoadStatement): CallStatement {
  return { kind: 'call', name: SETTLE, statics: [], args: [pointer], span };
}
