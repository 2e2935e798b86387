import {
  assignedLocals,
  bodyReads,
  readLocals,
  statementBodies,
  walkBody,
  countedLoop,
  type AssignStatement,
  type Body,
  type Expression,
  type Liveness,
  type LocalId,
  type LoopStatement,
  type Statement,
  type CountedLoop,
} from '@nccl-ts/ir';

import type { KnownValues } from './known-values.ts';
import { AffineTracker, exactRange, type Affine } from '../emit-shared/affine.ts';
import { localType } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import type { ThreadRange } from './thread-run.ts';
import type { Induction } from '../emit-shared/induction.ts';
import { recomputedOf } from '../emit-shared/frame.ts';
import { literal } from '../emit-shared/literals.ts';
import { containsMeeting, jumpsOut } from './lockstep.ts';
import { Prologue } from '../emit-shared/prologue.ts';
import type { EmitScope } from '../emit-shared/scope.ts';
import { isBig, scalarOf } from '../emit-shared/types.ts';

/**
 * A loop `for (o = init; o < bound; o += step)` of each thread, with `init` affine in the thread,
 * turned inside out. Its rounds are outside and the threads inside. In each round only the threads
 * below a count run.
 */
export interface StridePlan {
  readonly loop: LoopStatement;
  /**
   * The assignment that starts the loop, if it is in `run` and can be moved directly before the
   * loop.
   */
  readonly init: AssignStatement | undefined;
  readonly induction: Induction;
  /** The variable for the number of threads of a round. */
  readonly count: string;
  /** The code before the loop, the conditions for this form, and its head up to the body. */
  readonly before: readonly string[];
  readonly requirements: readonly string[];
  readonly head: (first: string) => readonly string[];
  /** The counter's initial value. */
  readonly first: string;
  readonly step: string;
  /**
   * Set if each round continues the previous one, so that the threads of all rounds form one row.
   */
  readonly row:
    | { readonly count: string; readonly induction: Induction; readonly before: readonly string[] }
    | undefined;
}

/**
 * Returns the plan for `loop`, which follows the statements `run`; `undefined` if it must run
 * thread by thread. `known` has the values of locals before the loop, as expressions of unchanged
 * values. The values of the locals in `looksThrough` are used too.
 */
export function planStride(
  liveness: Liveness,
  loop: LoopStatement,
  run: Body,
  known: Pick<KnownValues, 'get'>,
  scope: EmitScope,
  range: ThreadRange,
  looksThrough = false,
): StridePlan | undefined {
  const counted = countedLoop(loop);
  if (counted === undefined || !mayTurn(loop, liveness, counted)) return undefined;
  if (!scope.context.uniformity.varying.has(counted.local)) return undefined;
  const init = known.get(counted.local);
  const kind = scalarOf(localType(scope.context, counted.local));
  if (init === undefined || kind === undefined) return undefined;
  const code: string[] = [];
  const last = range.count === undefined ? literal(scope.context.threads - 1) : `(${range.count} - 1)`;
  const prologue = new Prologue({ ...scope, code }, last, new Set());
  const first = affineInit(init, prologue, range, looksThrough ? known : new Map());
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
  const goesOn = counted.step.kind === 'constant' && Number(counted.step.value) === scope.context.threads * first.step;
  return {
    loop,
    init: movable(run, counted.local),
    induction: { local: counted.local, base: at, step: first.step },
    count,
    before: code,
    requirements: prologue.requirements,
    first: first.base,
    step,
    head: (from) => [
      `for (let ${at} = ${from}; ; ${at} += ${step}) {`,
      `const ${count} = ${active};`,
      `if (!(${count} > 0)) break;`,
    ],
    row:
      goesOn && range.count === undefined
        ? {
            count: `row${number}`,
            induction: { local: counted.local, base: `first${number}`, step: first.step },
            before: [`const first${number} = ${first.base};`, `const row${number} = ${rowLength(first, end)};`],
          }
        : undefined,
  };
}

/** Returns the number of threads, counted from 0, with `at + step * t < end`. */
function activeThreads(step: number, at: string, end: string, threads: string): string {
  if (step === 0) return `${at} < ${end} ? ${threads} : 0`;
  return `Math.min(${threads}, ${rowLength({ base: at, step }, end)})`;
}

/** Returns the same for any number of threads. */
function rowLength({ base, step }: Pick<Affine, 'base' | 'step'>, end: string): string {
  return step === 1 ? `${end} - ${base}` : `Math.ceil((${end} - ${base}) / ${literal(step)})`;
}

function affineInit(
  init: Expression,
  prologue: Prologue,
  range: ThreadRange,
  known: Pick<KnownValues, 'get'>,
): Affine | undefined {
  const { scope } = prologue;
  const tracker = new AffineTracker(prologue);
  const varying = (e: Expression): readonly LocalId[] =>
    [...readLocals(e)].filter((id) => scope.context.uniformity.varying.has(id));
  const look = (e: Expression): void => {
    for (const id of varying(e)) {
      const value = known.get(id);
      if (value === undefined) continue;
      look(value);
      tracker.assign(id, value);
    }
  };
  look(init);
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

/** True if rounds of different threads may be mixed, and no thread leaves the loop early. */
function mayTurn(loop: LoopStatement, liveness: Liveness, counted: CountedLoop): boolean {
  const { op } = counted.condition;
  const upwards = counted.onLeft ? op === 'lt' || op === 'le' : op === 'gt' || op === 'ge';
  if (!upwards || liveness.liveAfter(loop).has(counted.local) || containsMeeting([loop])) return false;
  if (jumpsOut(loop, () => true).size > 0 || loop.body.some((s) => exitsLoop(s))) return false;
  // A `continue` is supported only if one loop over the threads is the whole round.
  return !loop.body.some((s) => continues(s)) || !containsLoop(loop.body);
}

function exitsLoop(s: Statement): boolean {
  return s.kind === 'break' || (s.kind !== 'loop' && statementBodies(s).flat().some(exitsLoop));
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

/**
 * Returns the last assignment in `run` to `local`, if it can be moved to the end past all later
 * statements.
 */
function movable(run: Body, local: LocalId): AssignStatement | undefined {
  const touched = new Set<LocalId>();
  for (const s of run.toReversed()) {
    if (s.kind === 'assign' && s.local === local) {
      return [...readLocals(s.value)].some((id) => touched.has(id)) ? undefined : s;
    }
    for (const id of [...assignedLocals([s]), ...bodyReads([s])]) touched.add(id);
    if (touched.has(local)) return undefined;
  }
  return undefined;
}

/** True if `s` contains a loop that `planStride` may turn inside out. */
export function containsStride(context: JsContext, s: Statement): boolean {
  if (s.kind === 'loop') {
    const counted = countedLoop(s);
    const { uniformity } = context;
    const varies = counted !== undefined && !uniformity.isUniform(counted.condition);
    if (varies && uniformity.isUniform(counted.bound) && uniformity.isUniform(counted.step)) return true;
  }
  return statementBodies(s)
    .flat()
    .some((inner) => containsStride(context, inner));
}
