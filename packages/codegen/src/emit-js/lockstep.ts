import { WARP_SIZE } from '@nccl-ts/core';
import {
  assignedLocals,
  isControl,
  readLocals,
  walkBody,
  walkExpression,
  statementBodies,
  type Body,
  type Expression,
  type Liveness,
  type LocalId,
  type LoopStatement,
  type Statement,
  type SyncStatement,
  type WaitAllStatement,
  type WaitStatement,
} from '@nccl-ts/ir';

import type { JsContext } from './js-context.ts';

/**
 * Thrown while code for whole CTAs is generated, if the kernel needs a program counter for each
 * thread.
 */
export class NotLockstep extends Error {}

/** True if `s` synchronizes threads, so that it must be outside any loop over threads. */
export function isMeeting(s: Statement): boolean {
  return s.kind === 'sync' || (s.kind === 'collective' && s.op !== 'activeMask');
}

export function containsMeeting(body: Body): boolean {
  return body.some((s) => isMeeting(s) || statementBodies(s).some(containsMeeting));
}

type Jump = 'break' | 'continue' | 'return' | `leave ${number}`;

/** Returns the jumps out of `s`. The value is true for jumps at which threads diverge. */
export function jumpsOut(s: Statement, isDivergent: (s: Statement) => boolean): ReadonlyMap<Jump, boolean> {
  const found = new Map<Jump, boolean>();
  const add = (jump: Jump, divergent: boolean): void => void found.set(jump, (found.get(jump) ?? false) || divergent);
  if (s.kind === 'break' || s.kind === 'continue' || s.kind === 'return') add(s.kind, isDivergent(s));
  if (s.kind === 'leave') add(`leave ${s.label}`, isDivergent(s));
  for (const inner of statementBodies(s).flat()) {
    for (const [jump, divergent] of jumpsOut(inner, isDivergent)) {
      const caught =
        (s.kind === 'loop' && (jump === 'break' || jump === 'continue')) ||
        (s.kind === 'block' && jump === `leave ${s.label}`);
      if (!caught) add(jump, divergent);
    }
  }
  return found;
}

/** True if some threads may leave the loop or block `s` by a jump that others do not take. */
export function isLeftDivergently(s: Statement, isDivergent: (s: Statement) => boolean): boolean {
  return statementBodies(s)
    .flat()
    .some((inner) => {
      for (const [jump, divergent] of jumpsOut(inner, isDivergent)) {
        if (!divergent) continue;
        if (s.kind === 'loop' && (jump === 'break' || jump === 'continue')) return true;
        if (s.kind === 'block' && jump === `leave ${s.label}`) return true;
      }
      return false;
    });
}

/** True if `s` sets a local that all threads share and that later code reads. */
export function setsSharedLocal(context: JsContext, liveness: Liveness, s: Statement): boolean {
  const after = liveness.liveAfter(s);
  for (const id of assignedLocals([s])) {
    if (!context.uniformity.varying.has(id) && after.has(id)) return true;
  }
  return false;
}

/**
 * True if nothing in `s` depends on the thread or accesses memory, so that it may run once for all
 * threads.
 */
export function isAllUniform(context: JsContext, s: Statement): boolean {
  const { uniformity } = context;
  if (uniformity.divergence(s) !== undefined) return false;
  if (s.kind === 'assign') return !uniformity.varying.has(s.local);
  // A fence has no effect, unless a checker observes which thread runs it.
  if (s.kind === 'fence' || s.kind === 'fenceProxy') return !context.watched;
  if (!isControl(s)) return false;
  switch (s.kind) {
    case 'if':
      return uniformity.isUniform(s.condition) && [...s.then, ...s.else].every((inner) => isAllUniform(context, inner));
    case 'loop':
      return uniformLoop(context, s) && [...s.body, ...s.update].every((inner) => isAllUniform(context, inner));
    case 'block':
      return s.body.every((inner) => isAllUniform(context, inner));
    case 'break':
    case 'continue':
    case 'leave':
    case 'return':
      return true;
    case 'call':
      return false;
  }
}

/**
 * True if `s` is a shared loop whose rounds access memory at addresses that move with the round.
 * With the rounds outside, these addresses grow evenly with the thread.
 */
export function movesAccesses(context: JsContext, s: Statement): boolean {
  if (s.kind !== 'loop') return false;
  const { uniformity } = context;
  const counters = [...assignedLocals([s])].filter((id) => !uniformity.varying.has(id));
  let found = false;
  walkBody([...s.body, ...s.update], {
    statement: (inner) => {
      if (inner.kind !== 'load' && inner.kind !== 'store') return;
      const reads = readLocals(inner.pointer);
      found ||= !uniformity.isUniform(inner.pointer) && counters.some((id) => reads.has(id));
    },
  });
  return found;
}

/** True if all threads of each group synchronize at `s`, provided that all of them are there. */
export function isOfWholeGroup({ uniformity, threads }: JsContext, { barrier }: SyncStatement): boolean {
  if (barrier === undefined) return true;
  const { name, threads: counted } = barrier;
  if (!uniformity.isUniform(name)) return false;
  return (
    counted === undefined ||
    (counted.kind === 'constant' && counted.value === Math.ceil(threads / WARP_SIZE) * WARP_SIZE)
  );
}

/**
 * All groups of the kind synchronize, since all threads are here. The members of other groups are
 * not known here.
 */
export function meetText({ coop }: SyncStatement): string {
  switch (coop.kind) {
    case 'cta':
      return 'cta.watch.meetAll();';
    case 'tile':
      return `cta.watch.meetTiles(${coop.size});`;
    case 'lanes':
    case 'warpSpan':
      throw new NotLockstep('a group that depends on the thread');
  }
}

export function uniformLoop(context: JsContext, s: LoopStatement): boolean {
  return s.condition === undefined || context.uniformity.isUniform(s.condition);
}

/**
 * True if all threads that test the condition at the same moment get the same result, because its
 * loads go through shared pointers. One test is then sufficient.
 */
export function isSharedWait(context: JsContext, s: WaitStatement | WaitAllStatement): boolean {
  const shared = new Set<LocalId>(s.kind === 'waitAll' ? [s.index] : []);
  const uniform = (e: Expression): boolean => isUniformWith(context, e, shared);
  const visit = (body: Body): boolean =>
    body.every((inner) => {
      if (inner.kind === 'assign' || inner.kind === 'load') {
        if (!uniform(inner.kind === 'assign' ? inner.value : inner.pointer)) return false;
        shared.add(inner.local);
        return true;
      }
      if (!isControl(inner)) return inner.kind === 'fence';
      switch (inner.kind) {
        case 'if':
          return uniform(inner.condition) && visit(inner.then) && visit(inner.else);
        case 'loop':
          return (
            (inner.condition === undefined || uniform(inner.condition)) && visit(inner.body) && visit(inner.update)
          );
        case 'block':
          return visit(inner.body);
        case 'break':
        case 'continue':
        case 'leave':
          return true;
        case 'return':
        case 'call':
          return false;
      }
    });
  return visit(s.body) && uniform(s.condition);
}

function isUniformWith(context: JsContext, e: Expression, shared: ReadonlySet<LocalId>): boolean {
  const { uniformity } = context;
  if (uniformity.isUniform(e)) return true;
  if (e.kind === 'builtin') return false;
  if (e.kind === 'local') return shared.has(e.local);
  const reads = [...readLocals(e)];
  if (!reads.some((id) => shared.has(id))) return false;
  return reads.every((id) => shared.has(id) || !uniformity.varying.has(id)) && !readsThread(e);
}

function readsThread(e: Expression): boolean {
  let found = false;
  walkBuiltins(e, (name) => {
    found ||= name.startsWith('threadIdx') || name === 'threadLinear' || name === 'laneId';
  });
  return found;
}

function walkBuiltins(e: Expression, visit: (name: string) => void): void {
  walkExpression(e, (node) => {
    if (node.kind === 'builtin') visit(node.builtin);
  });
}
