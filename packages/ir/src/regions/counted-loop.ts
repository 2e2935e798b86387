import { isFloatKind } from '../arithmetic/scalar-value.ts';
import type { CompareExpression, Expression, LocalId } from '../expression.ts';
import type { LoopStatement } from '../statement.ts';
import { assignedLocals, readLocals } from '../visit/locals.ts';

/** A loop `for (...; local < bound; local += step)`. The bound and the step do not change in it. */
export interface CountedLoop {
  readonly local: LocalId;
  readonly condition: CompareExpression;
  /** True if the local is the comparison's left side. */
  readonly onLeft: boolean;
  readonly bound: Expression;
  readonly step: Expression;
}

/** Returns the counter of `loop`, if the loop has this form. Its body may still leave it early. */
export function countedLoop(loop: LoopStatement): CountedLoop | undefined {
  const { condition } = loop;
  const [only] = loop.update;
  if (condition?.kind !== 'compare' || loop.update.length !== 1 || only?.kind !== 'assign') return undefined;
  if (only.value.kind !== 'binary' || only.value.op !== 'add') return undefined;
  const { local } = only;
  const step = addend(only.value.left, only.value.right, local);
  const onLeft = isLocal(condition.left, local);
  if (step === undefined || (!onLeft && !isLocal(condition.right, local))) return undefined;
  const bound = onLeft ? condition.right : condition.left;
  const changed = assignedLocals([loop]);
  const inBody = assignedLocals(loop.body);
  const fixed = (e: Expression): boolean => [...readLocals(e)].every((id) => !changed.has(id));
  if (inBody.has(local) || !fixed(bound) || !fixed(step)) return undefined;
  return { local, condition, onLeft, bound, step };
}

function addend(a: Expression, b: Expression, local: LocalId): Expression | undefined {
  if (isLocal(a, local)) return b;
  return isLocal(b, local) ? a : undefined;
}

function isLocal(e: Expression, local: LocalId): boolean {
  return e.kind === 'local' && e.local === local;
}

/**
 * True if `loop` certainly ends. It counts by a nonzero constant up to a bound that its type can
 * reach.
 */
export function isCounted(loop: LoopStatement): boolean {
  const counted = countedLoop(loop);
  if (counted === undefined || counted.step.kind !== 'constant') return false;
  // A large float does not change when 1 is added.
  const { type } = counted.step;
  if (type.kind !== 'scalar' || isFloatKind(type.scalar)) return false;
  const step = Number(counted.step.value);
  const op = counted.condition.op;
  const less = counted.onLeft ? op === 'lt' : op === 'gt';
  return less && step === 1;
}
