import {
  assignedLocals,
  bodyReads,
  constant,
  isIntegerKind,
  isWide,
  walkBody,
  walkStatement,
  type Body,
  type CallStatement,
  type LocalId,
  type Module,
} from '@nccl-ts/ir';
import { replaceAt } from '../tree/replace-at.ts';
import type { MutationSite } from '../tree/mutation-site.ts';
import { hasWait } from '../tree/has-wait.ts';
import { wordOf } from './call-words.ts';
import type { CodeChange, Operator } from './operator.ts';

/** Calls that synchronize as a whole. LL all-to-all moves data, and is only mutated inside. */
const deviceApi = /^(?:lsa|gin|barrier)\./;
const primitives: ReadonlySet<string> = new Set(['gin.acquire', 'gin.release', 'gin.reset']);

/** Removes calls of the device API; their results become 0. */
export const removeCall: Operator = (site) => {
  const { statement: s } = site;
  if (s.kind !== 'call') return [];
  if (primitives.has(s.name)) return [{ operator: 'primitive-removed', does: 'is removed', becomes: [] }];
  // A post is removed with the call that makes it.
  if (!deviceApi.test(s.name) || s.name === 'gin.post' || !synchronises(s)) return [];
  const instead = zeroInstead(s, site);
  if (instead === undefined) return [];
  return [{ operator: 'call-removed', does: 'is removed', becomes: instead }];
};

/** True if a call signals, waits or synchronizes: calls that only read or move data do not. */
function synchronises(call: CallStatement): boolean {
  let does = false;
  let moves = false;
  walkStatement(call, {
    statement: (s) => {
      if (s.kind === 'fence' || s.kind === 'sync' || s.kind === 'wait' || s.kind === 'waitAll') does = true;
      if (s.kind === 'store' || s.kind === 'atomic') does = true;
      if (s.kind !== 'call') return;
      if (s.name === 'gin.release' || s.name === 'gin.reset') does = true;
      if (s.name === 'gin.post') {
        does = true;
        moves ||= wordOf(s, 'kind') !== 'signal';
      }
    },
  });
  return does && !moves;
}

/**
 * Returns the replacement of a removed call: nothing, or its result 0. Returns `undefined` if other
 * code reads a value that the call would have set.
 */
function zeroInstead(s: CallStatement, { module, path }: MutationSite): Body | undefined {
  const rest = replaceAt(module.body, path, []);
  const answer = s.local;
  const missing = lost([s], rest).filter((id) => id !== answer);
  if (missing.length > 0) return undefined;
  if (answer === undefined || !lost([s], rest).includes(answer)) return [];
  const zero = zeroOf(module, answer);
  return zero === undefined ? undefined : [Object.freeze({ kind: 'assign', span: s.span, local: answer, value: zero })];
}

function zeroOf(module: Module, id: LocalId): ReturnType<typeof constant> | undefined {
  const type = module.locals[id]?.type;
  if (type?.kind !== 'scalar' || !isIntegerKind(type.scalar)) return undefined;
  return constant(type.scalar, isWide(type.scalar) ? 0n : 0);
}

/** Returns the locals that only `gone` sets, and that `rest` reads. */
function lost(gone: Body, rest: Body): readonly LocalId[] {
  const set = new Set(assignedLocals(rest));
  const read = bodyReads(rest);
  return [...assignedLocals(gone)].filter((id) => read.has(id) && !set.has(id));
}

/** Removes the signalling half, or the waiting half, of a barrier's `sync`. */
export const removeHalf: Operator = ({ statement: s, module, path }) => {
  if (s.kind !== 'call' || s.session === undefined || s.body === undefined || s.local !== undefined) return [];
  if (!deviceApi.test(s.name) || !s.name.endsWith('.sync') || hasSessionsInside(s.body)) return [];
  const { body } = s;
  const keep = (kept: Body | undefined, operator: CodeChange['operator'], half: string): readonly CodeChange[] => {
    if (kept === undefined) return [];
    const becomes = [Object.freeze({ ...s, body: Object.freeze(kept) })];
    const gone = body.filter((one) => !kept.includes(one));
    if (lost(gone, replaceAt(module.body, path, becomes)).length > 0) return [];
    return [{ operator, does: `does not ${half}`, becomes }];
  };
  return [
    ...keep(halfOf(body, 'wait'), 'arrive-removed', 'arrive'),
    ...keep(halfOf(body, 'arrive'), 'await-removed', 'wait'),
  ];
};

/**
 * Returns the statements before the first wait, or those from it on; in each branch, if the barrier
 * has several forms. Returns `undefined` if a half is empty.
 */
function halfOf(body: Body, half: 'arrive' | 'wait'): Body | undefined {
  const first = body.findIndex(hasWait);
  const waiting = body[first];
  if (waiting?.kind === 'if' && waiting.then.some(hasWait) && waiting.else.some(hasWait)) {
    const [then, other] = [halfOf(waiting.then, half), halfOf(waiting.else, half)];
    if (then === undefined || other === undefined) return undefined;
    const inner = Object.freeze({ ...waiting, then: Object.freeze(then), else: Object.freeze(other) });
    return half === 'wait' ? [inner, ...body.slice(first + 1)] : [...body.slice(0, first), inner];
  }
  if (first <= 0) return undefined;
  return half === 'wait' ? body.slice(first) : body.slice(0, first);
}

function hasSessionsInside(body: Body): boolean {
  let has = false;
  walkBody(body, {
    statement: (s) => {
      has ||= s.kind === 'call' && s.session !== undefined;
    },
  });
  return has;
}
