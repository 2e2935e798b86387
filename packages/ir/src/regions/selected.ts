import { scalarInfo } from '@nccl-ts/core';
import { evaluateConstant } from '../arithmetic/evaluate-constant.ts';
import { constant } from '../build/leaf.ts';
import { compare, logical, select, unary } from '../build/operation.ts';
import type { ConstantExpression, ConvertExpression, Expression } from '../expression.ts';

/** The largest number of constants between which an expression may select. */
const MOST_CONSTANTS = 64;

/**
 * Compilers also write a condition as a number: `select(a, 1, select(b, 1, 0)) == 0`. Returns the
 * same condition without the number: here `!a && !b`. Also separates `(a | b) == 0`. Returns `e` if
 * it selects other values than constants.
 */
export function withoutNumbers(e: Expression): Expression {
  const both = zeroTests(e);
  if (both === undefined) return selectionOf(e, new Map())?.asBool() ?? e;
  return logical('and', withoutNumbers(both[0]), withoutNumbers(both[1]));
}

/** The tests `a == 0` and `b == 0` of `(a | b) == 0`, with integer conversions around the or. */
function zeroTests(e: Expression): readonly [Expression, Expression] | undefined {
  if (e.kind !== 'compare' || e.op !== 'eq' || e.right.kind !== 'constant') return undefined;
  if (e.right.value !== 0 && e.right.value !== 0n) return undefined;
  const conversions: ConvertExpression[] = [];
  let inner = e.left;
  while (inner.kind === 'convert' && isInteger(inner) && isInteger(inner.operand)) {
    conversions.unshift(inner);
    inner = inner.operand;
  }
  if (inner.kind !== 'binary' || inner.op !== 'or') return undefined;
  const test = (part: Expression): Expression =>
    compare(
      'eq',
      conversions.reduce((operand, one): Expression => ({ ...one, operand }), part),
      e.right,
    );
  return [test(inner.left), test(inner.right)];
}

function isInteger({ type }: Expression): boolean {
  return type.kind === 'scalar' && scalarInfo[type.scalar].class !== 'float';
}

interface Branch {
  readonly condition: Expression;
  readonly then: ConstantSelection;
  readonly else: ConstantSelection;
}

/** One of a few constants, selected by conditions. */
class ConstantSelection {
  readonly #leaf: ConstantExpression | undefined;
  readonly #branch: Branch | undefined;
  readonly size: number;

  private constructor(leaf: ConstantExpression | undefined, branch: Branch | undefined) {
    this.#leaf = leaf;
    this.#branch = branch;
    this.size = branch === undefined ? 1 : branch.then.size + branch.else.size;
  }

  static of(leaf: ConstantExpression): ConstantSelection {
    return new ConstantSelection(leaf, undefined);
  }

  static between(condition: Expression, then: ConstantSelection, otherwise: ConstantSelection): ConstantSelection {
    const isSame = then.#leaf !== undefined && then.#leaf.value === otherwise.#leaf?.value;
    if (isSame) return then;
    if (condition.kind === 'constant') return condition.value === true ? then : otherwise;
    return new ConstantSelection(undefined, { condition, then, else: otherwise });
  }

  /** Applies `change` to each constant. `undefined` if a result is not constant. */
  map(change: (leaf: ConstantExpression) => Expression): ConstantSelection | undefined {
    if (this.#leaf !== undefined) {
      const changed = change(this.#leaf);
      const [value] = evaluateConstant(changed) ?? [];
      if (changed.type.kind !== 'scalar' || value === undefined) return undefined;
      return ConstantSelection.of(constant(changed.type.scalar, value));
    }
    const then = this.#branch?.then.map(change);
    const otherwise = this.#branch?.else.map(change);
    if (this.#branch === undefined || then === undefined || otherwise === undefined) return undefined;
    return ConstantSelection.between(this.#branch.condition, then, otherwise);
  }

  /** The value, if it is a bool, in terms of the conditions. */
  asBool(): Expression | undefined {
    if (this.#leaf !== undefined) return typeof this.#leaf.value === 'boolean' ? this.#leaf : undefined;
    const then = this.#branch?.then.asBool();
    const otherwise = this.#branch?.else.asBool();
    if (this.#branch === undefined || then === undefined || otherwise === undefined) return undefined;
    const { condition } = this.#branch;
    if (isBool(then, true)) return isBool(otherwise, false) ? condition : logical('or', condition, otherwise);
    if (isBool(then, false)) {
      const not = unary('not', condition);
      return isBool(otherwise, true) ? not : logical('and', not, otherwise);
    }
    if (isBool(otherwise, false)) return logical('and', condition, then);
    return select(condition, then, otherwise);
  }
}

function isBool(e: Expression, value: boolean): boolean {
  return e.kind === 'constant' && e.value === value;
}

/** `known` has the results for parts of the expression that occur several times. */
function selectionOf(
  e: Expression,
  known: Map<Expression, ConstantSelection | undefined>,
): ConstantSelection | undefined {
  if (known.has(e)) return known.get(e);
  const made = newSelection(e, known);
  const found = made !== undefined && made.size <= MOST_CONSTANTS ? made : undefined;
  known.set(e, found);
  return found;
}

function newSelection(
  e: Expression,
  known: Map<Expression, ConstantSelection | undefined>,
): ConstantSelection | undefined {
  if (e.kind === 'constant') return ConstantSelection.of(e);
  if (e.kind === 'select') {
    const then = selectionOf(e.then, known);
    const otherwise = then === undefined ? undefined : selectionOf(e.else, known);
    if (then === undefined || otherwise === undefined) return undefined;
    return ConstantSelection.between(selectionOf(e.condition, known)?.asBool() ?? e.condition, then, otherwise);
  }
  if (e.kind === 'unary' || e.kind === 'convert' || e.kind === 'bitcast')
    return selectionOf(e.operand, known)?.map((leaf) => ({ ...e, operand: leaf }));
  if (e.kind !== 'compare' && e.kind !== 'binary') return undefined;
  const [left, right] = [selectionOf(e.left, known), selectionOf(e.right, known)];
  if (e.right.kind === 'constant') return left?.map((leaf) => ({ ...e, left: leaf }));
  return e.left.kind === 'constant' ? right?.map((leaf) => ({ ...e, right: leaf })) : undefined;
}
