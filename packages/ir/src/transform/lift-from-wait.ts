import type { LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Body, CallStatement, Statement, WaitStatement } from '../statement.ts';
import { statementTarget } from '../visit/children.ts';
import { readLocals, statementReads } from '../visit/locals.ts';
import { mapBody } from '../visit/map-body.ts';
import { walkBody } from '../visit/walk.ts';

/**
 * Primitives that make the result of an earlier read visible. After several reads, one of them
 * after the last read is enough.
 */
const settling: ReadonlySet<string> = new Set(['gin.acquire']);

/**
 * True if a call only reads, such as the read of a signal. A wait may run it any number of times.
 */
export function isReadingCall(s: Statement): s is CallStatement {
  return s.kind === 'call' && s.body !== undefined && s.session === undefined && reads(s.body);
}

function reads(body: Body): boolean {
  return body.every((s) => {
    if (s.kind === 'if') return reads(s.then) && reads(s.else);
    return s.kind === 'load' || s.kind === 'assign' || s.kind === 'assert' || isSettling(s) || isReadingCall(s);
  });
}

function isSettling(s: Statement): boolean {
  return s.kind === 'call' && s.body === undefined && settling.has(s.name);
}

/** A wait with expanded calls, and their other effects. */
export interface LiftedWait {
  /** The preconditions of calls that do not depend on the wait's reads. */
  readonly before: Body;
  /** The body of the wait, which only reads, assigns and branches. */
  readonly body: Body;
  /**
   * The acquires for the last round's reads, and the other preconditions. They read the locals of
   * that round.
   */
  readonly after: Body;
}

/**
 * Expands the reading calls in the body of a wait, and collects the statements that must move
 * before and after it. Returns `undefined` if these would read locals that the round changes later.
 */
export function liftFromWait(body: Body): LiftedWait | undefined {
  const expanded = expandedReads(body);
  const open = openLocals(expanded);
  const early = new Set<Statement>();
  const before = only(
    expanded,
    (s) => {
      const isEarly = s.kind === 'assert' && isFree(s, open);
      if (isEarly) early.add(s);
      return isEarly;
    },
    open,
  );
  const after = only(expanded, (s) => isSettling(s) || (s.kind === 'assert' && !early.has(s)));
  if (!readsLastRound(expanded, after)) return undefined;
  const left = mapBody(expanded, { statement: (s) => (s.kind === 'assert' || isSettling(s) ? [] : s) });
  return { before, body: left, after };
}

/**
 * Returns the wait without calls, with their other effects around it, or the same statement if
 * nothing changes.
 */
export function liftedWait(wait: WaitStatement): Statement | Body {
  const parts = liftFromWait(wait.body);
  if (parts === undefined || parts.body === wait.body) return wait;
  const { before, body, after } = parts;
  return [...before, Object.freeze({ ...wait, body }), ...after];
}

/** Removes the calls from the waits of `module`. All other calls are kept. */
export function liftWaits(module: Module): Module {
  const body = mapBody(module.body, { statement: (s) => (s.kind === 'wait' ? liftedWait(s) : s) });
  return body === module.body ? module : Object.freeze({ ...module, body });
}

function expandedReads(body: Body): Body {
  return mapBody(body, { statement: (s) => (isReadingCall(s) && s.body !== undefined ? s.body : s) });
}

/** All locals that the round sets. They have no value before the round. */
function openLocals(body: Body): ReadonlySet<LocalId> {
  const set = new Set<LocalId>();
  walkBody(body, {
    statement: (s) => {
      const target = statementTarget(s);
      if (target !== undefined) set.add(target);
    },
  });
  return set;
}

function isFree(s: Statement, open: ReadonlySet<LocalId>): boolean {
  return [...statementReads(s)].every((id) => !open.has(id));
}

/**
 * Returns the statements that `wanted` selects, inside their branches. With `open`, only branches
 * that do not depend on them count.
 */
function only(body: Body, wanted: (s: Statement) => boolean, open?: ReadonlySet<LocalId>): Body {
  return body.flatMap((s): Body => {
    if (wanted(s)) return [s];
    if (s.kind !== 'if' || (open !== undefined && !isFree(s, open))) return [];
    const [then, otherwise] = [only(s.then, wanted, open), only(s.else, wanted, open)];
    return then.length + otherwise.length === 0 ? [] : [{ ...s, then, else: otherwise }];
  });
}

/** True if no value that `after` reads changes later in the round. */
function readsLastRound(body: Body, after: Body): boolean {
  const needed = new Set<LocalId>();
  walkBody(after, { statement: (s) => statementReads(s).forEach((id) => needed.add(id)) });
  let isKept = true;
  const read = new Set<LocalId>();
  walkBody(body, {
    statement: (s) => {
      const target = statementTarget(s);
      if (target !== undefined && read.has(target)) isKept = false;
      if (isSettling(s) || s.kind === 'assert') for (const id of statementReads(s)) read.add(id);
      if (s.kind === 'if') for (const id of readLocals(s.condition)) if (needed.has(id)) read.add(id);
    },
  });
  return isKept;
}
