import { scalarInfo } from '@nccl-ts/core';
import { constant, local } from '../build/leaf.ts';
import { compare } from '../build/operation.ts';
import type { Expression, LocalId } from '../expression.ts';
import type { Local, Module } from '../module.ts';
import { mayFault } from '../regions/may-fault.ts';
import { isAlike, isLocal } from '../regions/retried-cas.ts';
import type { AtomicAccess, AtomicStatement, Body, LoopStatement, Statement } from '../statement.ts';
import { assignedLocals, readLocals } from '../visit/locals.ts';
import { mapBody } from '../visit/map-body.ts';
import { mapExpression } from '../visit/map-expression.ts';

/**
 * Puts a wait before each compare-and-swap or exchange that a loop repeats until it succeeds, as in
 * `while (cas(flag, 0, 1) !== 0);` and `while (exch(flag, 1) !== 0);`, for checks. The wait is for
 * the value that is expected, or for one that the exchange replaces by another. Rounds that do not
 * find it have no effect, so the program does the same, and a check knows what the loop waits for.
 * If another thread is faster, the loop waits again.
 */
export function waitBeforeRetry(module: Module): Module {
  const added: Local[] = [];
  const body = mapBody(module.body, {
    statement: (s) => {
      const attempt = s.kind === 'loop' ? attemptOf(s) : undefined;
      if (s.kind !== 'loop' || attempt === undefined) return s;
      const seen = module.locals.length + added.length;
      added.push({ name: 'seen', type: attempt.awaited.value.type, span: attempt.atomic.span });
      return Object.freeze({ ...s, body: Object.freeze([waitFor(attempt, seen), ...s.body]) });
    },
  });
  if (added.length === 0) return module;
  return Object.freeze({ ...module, body, locals: Object.freeze([...module.locals, ...added]) });
}

/** A round of a loop that repeats an atomic. */
interface Attempt {
  readonly atomic: AtomicStatement;
  /** The values of the word that end the wait: this one, or all others. */
  readonly awaited: { readonly op: 'eq' | 'ne'; readonly value: Expression };
  /** How the word is read to see if it is time for another attempt. */
  readonly access: AtomicAccess;
  /** The assignments before it. */
  readonly before: Body;
}

/** The round of a loop that ends only by a successful atomic, and does nothing else. */
function attemptOf({ condition, body, update }: LoopStatement): Attempt | undefined {
  const at = body.findIndex((s) => s.kind === 'atomic');
  const [atomic, test] = [body[at], body.at(-1)];
  if (condition !== undefined || update.length > 0 || atomic?.kind !== 'atomic' || test?.kind !== 'if')
    return undefined;
  const { local: seen, pointer, access } = atomic;
  const awaited = awaitedBy(atomic);
  if (awaited === undefined || seen === undefined || access === undefined) return undefined;
  if (pointer.type.kind !== 'pointer' || pointer.type.space === 'local') return undefined;
  const [before, after] = [body.slice(0, at), body.slice(at + 1, -1)];
  if (![...before, ...after].every(isPlain)) return undefined;
  // A round takes nothing from the previous one.
  const sets = assignedLocals(body);
  const given = new Set<LocalId>();
  for (const s of body) {
    const reads = s.kind === 'assign' ? readLocals(s.value) : s === atomic ? readsOf(atomic) : new Set<LocalId>();
    if ([...reads].some((id) => sets.has(id) && !given.has(id))) return undefined;
    if ((s.kind === 'assign' || s === atomic) && s.local !== undefined) given.add(s.local);
  }
  const ends = endsWhen(test);
  if (ends === undefined) return undefined;
  const inlined = inline(ends.condition, [...before, ...after]);
  return means(inlined, ends.is, seen, { ...awaited, value: inline(awaited.value, before) })
    ? { atomic, awaited, before, access: Object.freeze({ ...access, order: 'relaxed' }) }
    : undefined;
}

/** An exchange has no effect if the word has its value already. */
function awaitedBy({ op, expected, value }: AtomicStatement): Attempt['awaited'] | undefined {
  if (op === 'cas' && expected?.type.kind === 'scalar') return { op: 'eq', value: expected };
  return op === 'exch' && integerBits(value) !== undefined ? { op: 'ne', value } : undefined;
}

function isPlain(s: Statement): boolean {
  return s.kind === 'assign' && !mayFault(s.value);
}

function readsOf({ pointer, value, expected }: AtomicStatement): ReadonlySet<LocalId> {
  return new Set([pointer, value, ...(expected === undefined ? [] : [expected])].flatMap((e) => [...readLocals(e)]));
}

/**
 * The condition that ends the loop if it is true, or false, if one side only breaks and the other
 * does nothing.
 */
function endsWhen(
  test: Extract<Statement, { kind: 'if' }>,
): { readonly condition: Expression; readonly is: boolean } | undefined {
  const [then, otherwise] = [test.then, test.else];
  const breaks = (side: Body): boolean => side.length === 1 && side[0]?.kind === 'break';
  const goesOn = (side: Body): boolean => side.every(({ kind }) => kind === 'continue');
  if (breaks(then) && goesOn(otherwise)) return { condition: test.condition, is: true };
  return breaks(otherwise) && goesOn(then) ? { condition: test.condition, is: false } : undefined;
}

/** Replaces the locals that `assignments` set, in their order. */
function inline(e: Expression, assignments: Body): Expression {
  return assignments.reduceRight((inner: Expression, s) => {
    if (s.kind !== 'assign') return inner;
    return mapExpression(inner, (one) => (isLocal(one, s.local) ? s.value : one));
  }, e);
}

/** True if the atomic has read what is awaited whenever `e` has the value `is`. */
function means(e: Expression, is: boolean, seen: LocalId, awaited: Attempt['awaited']): boolean {
  if (e.kind === 'intrinsic') return means(e.expansion, is, seen, awaited);
  if (e.kind === 'unary') return e.op === 'not' && means(e.operand, !is, seen, awaited);
  if (e.kind === 'logical') {
    const isBoth = (e.op === 'and') === is;
    return isBoth && [e.left, e.right].some((side) => means(side, is, seen, awaited));
  }
  if (e.kind !== 'compare' || (e.op !== 'eq' && e.op !== 'ne')) return false;
  const sides = [e.left, e.right].map(bitsOf);
  if (!sides.some((side) => isLocal(side, seen))) return false;
  const value = bitsOf(awaited.value);
  const isEqual = (e.op === 'eq') === is;
  if (isEqual === (awaited.op === 'eq')) return sides.some((side) => isAlike(side, value));
  // Another constant is not the value.
  const isOther = (side: Expression): boolean => side.kind === 'constant' && !isAlike(side, value);
  return isEqual && value.kind === 'constant' && sides.some(isOther);
}

/** The same bits, without conversions between integers of one size. */
function bitsOf(e: Expression): Expression {
  if (e.kind === 'intrinsic') return bitsOf(e.expansion);
  if (e.kind === 'convert' || e.kind === 'bitcast') {
    const [from, to] = [integerBits(e.operand), integerBits(e)];
    return from !== undefined && from === to ? bitsOf(e.operand) : e;
  }
  if (e.kind !== 'constant' || typeof e.value === 'boolean') return e;
  const bits = integerBits(e);
  return bits === undefined ? e : constant('u64', BigInt.asUintN(bits, BigInt(e.value)));
}

function integerBits({ type }: Expression): number | undefined {
  if (type.kind !== 'scalar') return undefined;
  const info = scalarInfo[type.scalar];
  return info.class === 'int' ? info.bits : undefined;
}

/** A wait until the atomic would have an effect. `seen` receives the value. */
function waitFor({ atomic, access, awaited, before }: Attempt, seen: LocalId): Statement {
  const { pointer, span } = atomic;
  const load = Object.freeze({ kind: 'load', local: seen, pointer, access, span } as const);
  return Object.freeze({
    kind: 'wait',
    body: Object.freeze([...before, load]),
    condition: compare(awaited.op, local(seen, awaited.value.type), awaited.value, span),
    span,
  });
}
