import {
  readLocals,
  statementBodies,
  statementTarget,
  walkBody,
  type AssignStatement,
  type Body,
  type Expression,
  type Liveness,
  type LoopStatement,
  type Statement,
} from '@nccl-ts/ir';

import { AffineTracker, exactRange, type Affine } from './affine.ts';
import { localType } from './context.ts';
import { countedLoop, type CountedLoop } from './counted.ts';
import type { Induction, ThreadRange } from './emit-threads.ts';
import { recomputedOf } from './frame.ts';
import { literal } from './literals.ts';
import { containsMeeting, jumpsOut } from './lockstep.ts';
import { Prologue } from './prologue.ts';
import type { Scope } from './scope.ts';
import { isBig, scalarOf } from './types.ts';

/**
 * How a loop `for (o = init; o < bound; o += step)` of each thread, with `init` affine in the thread, runs with its
 * rounds outside and the threads inside: in each round the threads that still run are those below a count.
 */
export interface StridePlan {
  readonly loop: LoopStatement;
  /** The assignment before the loop that begins it. */
  readonly init: AssignStatement;
  readonly induction: Induction;
  /** The variable that has the number of threads of a round. */
  readonly count: string;
  /** Code before the loop; what must hold for it to run like this; its head up to the body. */
  readonly before: readonly string[];
  readonly requirements: readonly string[];
  readonly head: readonly string[];
}

/** The plan for `loop`, which follows the statements `run`; `undefined` where it has to run thread by thread. */
export function planStride(
  liveness: Liveness,
  loop: LoopStatement,
  run: Body,
  scope: Scope,
  range: ThreadRange,
): StridePlan | undefined {
  const counted = countedLoop(loop);
  if (counted === undefined || !mayTurn(loop, liveness, counted)) return undefined;
  const init = beginning(run, counted);
  const kind = scalarOf(localType(scope.context, counted.local));
  if (init === undefined || kind === undefined) return undefined;
  const code: string[] = [];
  const last = range.count === undefined ? literal(scope.context.threads - 1) : `(${range.count} - 1)`;
  const prologue = new Prologue({ ...scope, code }, last, new Set());
  const first = affineInit(init.value, prologue, range, scope);
  const bound = hoistNumber(counted.bound, prologue);
  const step = hoistNumber(counted.step, prologue);
  if (first === undefined || bound === undefined || step === undefined || first.step < 0) return undefined;
  const inclusive = counted.onLeft ? counted.condition.op === 'le' : counted.condition.op === 'ge';
  const end = inclusive ? prologue.atom(`(${bound} + 1)`) : bound;
  const number = scope.fn.counter++;
  const at = `at${number}`;
  const count = `count${number}`;
  prologue.require(`${step} > 0`, `${end} + ${step} <= ${literal(exactRange(kind).max)}`);
  const threads = range.count ?? literal(scope.context.threads);
  const active = activeThreads(first.step, at, end, threads);
  return {
    loop,
    init,
    induction: { local: counted.local, base: at, step: first.step },
    count,
    before: code,
    requirements: prologue.requirements,
    head: [
      `for (let ${at} = ${first.base}; ; ${at} += ${step}) {`,
      `const ${count} = ${active};`,
      `if (!(${count} > 0)) break;`,
    ],
  };
}

/** How many threads, counted from 0, have `at + step * t < end`. */
function activeThreads(step: number, at: string, end: string, threads: string): string {
  if (step === 0) return `${at} < ${end} ? ${threads} : 0`;
  return `Math.min(${threads}, ${step === 1 ? `${end} - ${at}` : `Math.ceil((${end} - ${at}) / ${literal(step)})`})`;
}

function affineInit(init: Expression, prologue: Prologue, range: ThreadRange, scope: Scope): Affine | undefined {
  const tracker = new AffineTracker(prologue);
  for (const id of recomputedOf(scope.context, readLocals(init))) {
    tracker.assign(id, scope.context.recomputable.get(id));
  }
  for (const { local, base, step } of range.inductions) {
    tracker.define(local, { kind: scalarOf(localType(scope.context, local)) ?? 'u32', base, step });
  }
  return tracker.exact(init);
}

function hoistNumber(e: Expression, prologue: Prologue): string | undefined {
  const [text] = prologue.hoist(e) ?? [];
  const kind = scalarOf(e.type);
  if (text === undefined || kind === undefined) return undefined;
  if (!isBig(kind)) return text;
  const number = prologue.atom(`Number(${text})`);
  const { min, max } = exactRange(kind);
  prologue.require(`${number} >= ${literal(min)}`, `${number} <= ${literal(max)}`);
  return number;
}

/** Whether rounds of different threads may be mixed, and no thread leaves the loop before its end. */
function mayTurn(loop: LoopStatement, liveness: Liveness, counted: CountedLoop): boolean {
  const { op } = counted.condition;
  const upwards = counted.onLeft ? op === 'lt' || op === 'le' : op === 'gt' || op === 'ge';
  if (!upwards || liveness.liveAfter(loop).has(counted.local) || containsMeeting([loop])) return false;
  if (jumpsOut(loop, () => true).size > 0 || loop.body.some((s) => leavesLoop(s))) return false;
  // A `continue` is only understood where one loop over the threads makes up the whole round.
  return !loop.body.some((s) => continues(s)) || !containsLoop(loop.body);
}

function leavesLoop(s: Statement): boolean {
  return s.kind === 'break' || (s.kind !== 'loop' && statementBodies(s).flat().some(leavesLoop));
}

function continues(s: Statement): boolean {
  return s.kind === 'continue' || (s.kind !== 'loop' && statementBodies(s).flat().some(continues));
}

function containsLoop(body: Body): boolean {
  let found = false;
  walkBody(body, {
    statement: (s) => {
      found ||= s.kind === 'loop';
    },
  });
  return found;
}

/** The assignment in `run` that gives the loop's local its first value, if moving it down to the loop changes nothing. */
function beginning(run: Body, counted: CountedLoop): AssignStatement | undefined {
  const changed = new Set<number>();
  for (let i = run.length - 1; i >= 0; i--) {
    const s = run[i];
    if (s === undefined) return undefined;
    if (s.kind === 'assign' && s.local === counted.local) {
      return [...readLocals(s.value)].some((id) => changed.has(id)) ? undefined : s;
    }
    const touches = touched(s);
    if (touches.has(counted.local)) return undefined;
    for (const id of touches) changed.add(id);
  }
  return undefined;
}

/** Locals that `s` sets or, of those that a loop counts, reads. */
function touched(s: Statement): ReadonlySet<number> {
  const found = new Set<number>();
  walkBody([s], {
    statement: (inner) => {
      const target = statementTarget(inner);
      if (target !== undefined) found.add(target);
    },
    expression: (e) => {
      if (e.kind === 'local') found.add(e.local);
    },
  });
  return found;
}
