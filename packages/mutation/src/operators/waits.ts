import {
  binary,
  compare,
  constant,
  isIntegerKind,
  isWide,
  logical,
  waitsByAtomics,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import { hasWait } from '../tree/has-wait.ts';
import type { CodeChange, Operator } from './operator.ts';

/** Removes waits, and makes polling loops end after one check. */
export const removeWait: Operator = ({ statement: s }) => {
  switch (s.kind) {
    // No later code may read anything that its body assigns.
    case 'waitAll':
      return [{ operator: 'wait-removed', does: 'is removed', becomes: [] }];
    // Its body may read any value, which it loads once.
    case 'wait': {
      const once: Statement = Object.freeze({ ...s, condition: constant('bool', true) });
      return [{ operator: 'wait-removed', does: 'does not wait', becomes: [once] }];
    }
    case 'loop': {
      // A loop around a wait does not poll, because it stops in the wait.
      if (!waitsByAtomics(s) || hasWait(s)) return [];
      const end: Statement = Object.freeze({ kind: 'break', span: s.span });
      const once: Statement = Object.freeze({ ...s, body: Object.freeze([...s.body, end]) });
      return [{ operator: 'poll-once', does: 'polls once', becomes: [once] }];
    }
    case 'approximate':
    case 'assert':
    case 'assign':
    case 'atomic':
    case 'block':
    case 'break':
    case 'call':
    case 'clock':
    case 'collective':
    case 'continue':
    case 'fence':
    case 'fenceProxy':
    case 'if':
    case 'leave':
    case 'load':
    case 'print':
    case 'return':
    case 'store':
    case 'sync':
      return [];
  }
};

/** Makes waits for a number accept one less. */
export const waitForOneLess: Operator = ({ statement: s }) => {
  if (s.kind !== 'wait' && s.kind !== 'waitAll') return [];
  const condition = lowered(s.condition);
  if (condition === undefined) return [];
  const change: CodeChange = {
    operator: 'wait-one-less',
    does: 'accepts one less',
    becomes: [Object.freeze({ ...s, condition })],
  };
  return [change];
};

/** Returns `condition` with its threshold lowered by one; `undefined` if it has none. */
function lowered(condition: Expression): Expression | undefined {
  if (condition.kind === 'logical') {
    const left = lowered(condition.left);
    return left === undefined ? undefined : logical(condition.op, left, condition.right);
  }
  if (condition.kind !== 'compare') return undefined;
  const { op, left, right } = condition;
  if (op === 'le') {
    const rolling = loweredDifference(left);
    if (rolling !== undefined) return compare('le', rolling, right);
  }
  if (op === 'ge' || op === 'gt') {
    const less = oneLess(right);
    return less === undefined ? undefined : compare(op, left, less);
  }
  if (op === 'le' || op === 'lt') {
    const less = oneLess(left);
    return less === undefined ? undefined : compare(op, less, right);
  }
  return undefined;
}

/**
 * Matches a comparison that wraps around: `seen - least`, or its low bits. Returns it with `least`
 * lowered by one.
 */
function loweredDifference(e: Expression): Expression | undefined {
  if (e.kind !== 'binary') return undefined;
  if (e.op === 'and') {
    const left = loweredDifference(e.left);
    return left === undefined ? undefined : binary('and', left, e.right);
  }
  if (e.op !== 'sub') return undefined;
  const least = oneLess(e.right);
  return least === undefined ? undefined : binary('sub', e.left, least);
}

function oneLess(e: Expression): Expression | undefined {
  if (e.type.kind !== 'scalar' || !isIntegerKind(e.type.scalar)) return undefined;
  return binary('sub', e, constant(e.type.scalar, isWide(e.type.scalar) ? 1n : 1));
}
