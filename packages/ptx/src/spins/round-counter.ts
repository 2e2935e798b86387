import { readLocals, statementTarget, walkBody } from '@nccl-ts/ir';
import type { Body, CompareOp, Expression, LocalId } from '@nccl-ts/ir';
import { at as elementAt } from '@nccl-ts/core';
import { flowDecision, flowTargets } from '../flow/flow-ends.ts';
import type { FlowBlockId, FlowEnd, FlowGraph } from '../flow/flow-graph.ts';
import { negate } from '../negate.ts';
import type { LookLoop } from './look-loop.ts';
import { dependents } from './polled-loads.ts';

/** The properties of locals that count the rounds of a loop. */
export interface RoundCounter {
  readonly locals: ReadonlySet<LocalId>;
  /** The direction of the count. */
  readonly direction: 'up' | 'down';
  /** The blocks that set a count to a constant. */
  readonly resets: ReadonlySet<FlowBlockId>;
}

/**
 * Analyses `locals` as counters of the rounds of `loop`. Each must be set to a constant or changed
 * by a constant. Returns `undefined` if they are used in another way, or depend on loaded values.
 */
export function roundCounter(graph: FlowGraph, loop: LookLoop, locals: ReadonlySet<LocalId>): RoundCounter | undefined {
  const resets = new Set<FlowBlockId>();
  const directions = new Set<'up' | 'down'>();
  const late = blocksBehindChoices(graph, loop);
  for (const id of loop.blocks) {
    const { body } = elementAt(graph.blocks, id);
    for (const s of body) {
      const target = statementTarget(s);
      if (s.kind === 'if' && setsAny([s], locals)) return undefined;
      if (target === undefined || !locals.has(target)) continue;
      if (s.kind !== 'assign' || late.has(id)) return undefined;
      const direction = stepOf(s.value, locals);
      if (direction !== undefined) directions.add(direction);
      else if (s.value.kind === 'constant') resets.add(id);
    }
  }
  const [direction] = directions;
  return direction === undefined || directions.size > 1 ? undefined : { locals, direction, resets };
}

/**
 * True if a long-running count makes `condition` true repeatedly: it is reset, is past a limit, or
 * wraps around. `behind` are the blocks that then run.
 */
export function recurs(counter: RoundCounter, condition: Expression, behind: ReadonlySet<FlowBlockId>): boolean {
  if ([...counter.resets].some((id) => behind.has(id))) return true;
  if (counter.resets.size > 0) return false;
  const test = condition.kind === 'unary' && condition.op === 'not' ? negate(condition.operand) : condition;
  if (test.kind !== 'compare') return false;
  const isLeft = readsAny(test.left, counter.locals);
  if (isLeft && readsAny(test.right, counter.locals)) return false;
  const counted = isLeft ? test.left : test.right;
  if (test.op === 'eq') return wrapsAround(counted);
  const past: readonly CompareOp[] = (counter.direction === 'up') === isLeft ? ['gt', 'ge'] : ['lt', 'le'];
  return past.includes(test.op) && plain(counted).kind === 'local';
}

/** The number of rounds from which on giving up counts as a time limit. Compilers unroll fewer. */
const MANY_ROUNDS = 16n;

/**
 * The exit of a branch that leaves `loop` after very many rounds, or after a number of rounds that
 * only the launch knows, and its other side.
 */
export function givesUp(
  graph: FlowGraph,
  loop: LookLoop,
  end: FlowEnd,
  { locals, direction, resets }: RoundCounter,
): { readonly exit: FlowBlockId; readonly stays: FlowBlockId } | undefined {
  if (end.kind !== 'branch' || loop.has(end.then) === loop.has(end.else) || resets.size > 0) return undefined;
  const isThen = !loop.has(end.then);
  const taken = isThen ? end.condition : negate(end.condition);
  const directions = isThen ? { exit: end.then, stays: end.else } : { exit: end.else, stays: end.then };
  if (taken.kind !== 'compare') return undefined;
  const isLeft = readsAny(taken.left, locals);
  const [count, limit] = isLeft ? [plain(taken.left), taken.right] : [plain(taken.right), taken.left];
  if (count.kind !== 'local' || !locals.has(count.local) || readsAny(limit, locals)) return undefined;
  const isUp = direction === 'up';
  const past: readonly CompareOp[] = isUp === isLeft ? ['gt', 'ge', 'eq'] : ['lt', 'le', 'eq'];
  if (!past.includes(taken.op)) return undefined;
  const most = integerOf(plain(limit));
  if (most === undefined) return plain(limit).kind === 'constant' ? undefined : directions;
  if (isUp) return most >= MANY_ROUNDS ? directions : undefined;
  const first = startOf(graph, loop, locals);
  return first !== undefined && first - most >= MANY_ROUNDS ? directions : undefined;
}

/** The constant with which a count starts; `undefined` if there is none, or more than one. */
function startOf(graph: FlowGraph, loop: LookLoop, locals: ReadonlySet<LocalId>): bigint | undefined {
  const starts = new Set<bigint | undefined>();
  for (const [id, { body }] of graph.blocks.entries()) {
    if (loop.has(id)) continue;
    walkBody(body, {
      statement: (s) => {
        const target = statementTarget(s);
        if (target === undefined || !locals.has(target)) return;
        starts.add(s.kind === 'assign' ? integerOf(plain(s.value)) : undefined);
      },
    });
  }
  const [start] = starts;
  return starts.size === 1 ? start : undefined;
}

/** Blocks that a round may skip because of a loaded value, without ending. */
function blocksBehindChoices(graph: FlowGraph, loop: LookLoop): ReadonlySet<FlowBlockId> {
  const bodies = loop.blocks.map((id) => elementAt(graph.blocks, id).body);
  const loaded = dependents(bodies, (s) => s.kind === 'load' || s.kind === 'clock');
  const behind = new Set<FlowBlockId>();
  // The blocks of a loop are in the order in which a round visits them.
  for (const id of loop.blocks) {
    const { end } = elementAt(graph.blocks, id);
    const inside = flowTargets(end).filter((to) => loop.has(to));
    const decision = flowDecision(end);
    const chooses = inside.length > 1 && decision !== undefined && readsAny(decision, loaded);
    if (chooses || behind.has(id)) for (const to of inside) if (to !== loop.head) behind.add(to);
  }
  return behind;
}

function setsAny(body: Body, locals: ReadonlySet<LocalId>): boolean {
  let found = false;
  walkBody(body, {
    statement: (s) => {
      const target = statementTarget(s);
      found ||= target !== undefined && locals.has(target);
    },
  });
  return found;
}

/** The direction in which a value differs by a constant from one of `locals`. */
function stepOf(value: Expression, locals: ReadonlySet<LocalId>): 'up' | 'down' | undefined {
  const e = plain(value);
  if (e.kind !== 'binary' || (e.op !== 'add' && e.op !== 'sub')) return undefined;
  const [left, right] = [plain(e.left), plain(e.right)];
  const [count, step] = left.kind === 'constant' && e.op === 'add' ? [right, left] : [left, right];
  if (count.kind !== 'local' || !locals.has(count.local) || step.kind !== 'constant') return undefined;
  const given = integerOf(step);
  if (given === undefined) return undefined;
  const by = BigInt.asIntN(e.type.kind === 'scalar' && e.type.scalar.endsWith('64') ? 64 : 32, given);
  if (by === 0n) return undefined;
  return by > 0n === (e.op === 'add') ? 'up' : 'down';
}

/** True if it takes each of its values repeatedly while its operand counts. */
function wrapsAround(e: Expression): boolean {
  const counted = plain(e);
  return counted.kind === 'binary' && (counted.op === 'and' || counted.op === 'rem');
}

function plain(e: Expression): Expression {
  return e.kind === 'convert' || e.kind === 'bitcast' ? plain(e.operand) : e;
}

function readsAny(e: Expression, locals: ReadonlySet<LocalId>): boolean {
  return [...readLocals(e)].some((id) => locals.has(id));
}

function integerOf(e: Expression): bigint | undefined {
  if (e.kind !== 'constant') return undefined;
  const { type, value } = e;
  const isInteger = type.scalar === 'i32' || type.scalar === 'u32' || type.scalar === 'i64' || type.scalar === 'u64';
  return isInteger ? BigInt(value) : undefined;
}
