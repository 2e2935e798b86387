import { unary } from '../build/operation.ts';
import type { CompareExpression, CompareOp, Expression, LocalId } from '../expression.ts';
import { elementScalar } from '../type.ts';
import { readLocals } from '../visit/locals.ts';

/**
 * Describes for people the values for which a condition holds. The text surrounds values that are
 * known only when the condition is evaluated.
 */
export type Needed =
  /** `first` while `left` is false, and then `second`. */
  | { readonly kind: 'and'; readonly left: Expression; readonly first: Needed; readonly second: Needed }
  | { readonly kind: 'or'; readonly first: Needed; readonly second: Needed }
  /** The text `before`, the value, and the text `after`, as in `>= 5` or `4 (rolling, 32 bits)`. */
  | { readonly kind: 'value'; readonly before: string; readonly value: Expression; readonly after: string }
  /** A condition of another form, which must be true. */
  | { readonly kind: 'true' };

/**
 * Returns the values of the locals in `loaded` for which `condition` holds. They are the other side
 * of a comparison, also of one that is negated. The rolling comparison of epochs is recognised too:
 * `got - want <= 0x7fffffff` on u32, its equivalent on u64, and `(got - want) & mask <= mask / 2`.
 */
export function neededOf(condition: Expression, loaded: ReadonlySet<LocalId>): Needed {
  return neededFor(condition, loaded, true);
}

/** The values for which `condition` is true or, if `holds` is false, false. */
function neededFor(condition: Expression, loaded: ReadonlySet<LocalId>, holds: boolean): Needed {
  if (condition.kind === 'intrinsic') return neededFor(condition.expansion, loaded, holds);
  if (condition.kind === 'unary' && condition.op === 'not') return neededFor(condition.operand, loaded, !holds);
  if (condition.kind === 'compare') {
    const { op, left, right } = condition;
    const flag = truthOf(condition);
    if (flag !== undefined) return neededFor(flag.of, loaded, flag.is === holds);
    return ofComparison(holds ? op : negated[op], left, right, loaded);
  }
  if (condition.kind !== 'logical') return { kind: 'true' };
  const { op, left, right } = condition;
  const [first, second] = [neededFor(left, loaded, holds), neededFor(right, loaded, holds)];
  if ((op === 'and') !== holds) return { kind: 'or', first, second };
  return { kind: 'and', left: holds ? left : unary('not', left), first, second };
}

/** A condition that is compared with `true` or `false`. */
function truthOf({
  op,
  left,
  right,
}: CompareExpression): { readonly of: Expression; readonly is: boolean } | undefined {
  if ((op !== 'eq' && op !== 'ne') || right.kind !== 'constant' || typeof right.value !== 'boolean') return undefined;
  return { of: left, is: right.value === (op === 'eq') };
}

const flipped: Readonly<Record<CompareOp, CompareOp>> = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' };
const negated: Readonly<Record<CompareOp, CompareOp>> = { eq: 'ne', ne: 'eq', lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' };
const words: Readonly<Record<CompareOp, string>> = { eq: '', ne: 'not ', lt: '< ', le: '<= ', gt: '> ', ge: '>= ' };

function ofComparison(op: CompareOp, left: Expression, right: Expression, loaded: ReadonlySet<LocalId>): Needed {
  const fromMemory = (e: Expression): boolean => [...readLocals(e)].some((id) => loaded.has(id));
  if (!fromMemory(left) && fromMemory(right)) return ofComparison(flipped[op], right, left, loaded);
  const masked = maskedWant(op, left);
  if (masked !== undefined) return { kind: 'value', before: words.ge, value: masked, after: '' };
  const rolling = rollingWant(op, left, right);
  if (rolling === undefined) return { kind: 'value', before: words[op], value: right, after: '' };
  return { kind: 'value', before: '', value: rolling.want, after: ` (rolling, ${rolling.bits} bits)` };
}

/** The `want` of `(got - want) & mask <= half`. */
function maskedWant(op: CompareOp, left: Expression): Expression | undefined {
  if (left.kind === 'intrinsic') return maskedWant(op, left.expansion);
  if (op !== 'le' || left.kind !== 'binary' || left.op !== 'and') return undefined;
  const got = left.left;
  return got.kind === 'binary' && got.op === 'sub' ? got.right : undefined;
}

function rollingWant(
  op: CompareOp,
  left: Expression,
  right: Expression,
): { readonly want: Expression; readonly bits: 32 | 64 } | undefined {
  if (left.kind !== 'binary' || left.op !== 'sub' || right.kind !== 'constant') return undefined;
  if (left.type.kind !== 'scalar') return undefined;
  const kind = elementScalar(left.type);
  if (kind !== 'u32' && kind !== 'u64') return undefined;
  const half = kind === 'u32' ? 0x7fffffffn : 0x7fffffffffffffffn;
  const limit = BigInt(right.value);
  if ((op !== 'le' || limit !== half) && (op !== 'lt' || limit !== half + 1n)) return undefined;
  // The subtraction `got - want` shows which operand was loaded.
  return { want: left.right, bits: kind === 'u32' ? 32 : 64 };
}
