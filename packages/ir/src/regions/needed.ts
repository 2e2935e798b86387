import type { CompareOp, Expression, LocalId } from '../expression.ts';
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
 * of a comparison. The rolling comparison of epochs is recognised too: `got - want <= 0x7fffffff`
 * on u32, or its equivalent on u64.
 */
export function neededOf(condition: Expression, loaded: ReadonlySet<LocalId>): Needed {
  if (condition.kind === 'intrinsic') return neededOf(condition.expansion, loaded);
  if (condition.kind === 'compare') return ofComparison(condition.op, condition.left, condition.right, loaded);
  if (condition.kind !== 'logical') return { kind: 'true' };
  const { op, left } = condition;
  const [first, second] = [neededOf(left, loaded), neededOf(condition.right, loaded)];
  return op === 'and' ? { kind: 'and', left, first, second } : { kind: 'or', first, second };
}

const flipped: Readonly<Record<CompareOp, CompareOp>> = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' };
const words: Readonly<Record<CompareOp, string>> = { eq: '', ne: 'not ', lt: '< ', le: '<= ', gt: '> ', ge: '>= ' };

function ofComparison(op: CompareOp, left: Expression, right: Expression, loaded: ReadonlySet<LocalId>): Needed {
  const fromMemory = (e: Expression): boolean => [...readLocals(e)].some((id) => loaded.has(id));
  if (!fromMemory(left) && fromMemory(right)) return ofComparison(flipped[op], right, left, loaded);
  const rolling = rollingWant(op, left, right);
  if (rolling === undefined) return { kind: 'value', before: words[op], value: right, after: '' };
  return { kind: 'value', before: '', value: rolling.want, after: ` (rolling, ${rolling.bits} bits)` };
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
