import type { Expression, IntrinsicExpression, Static } from '../expression.ts';
import type { Span } from '../span.ts';
import { spanned } from './spanned.ts';

/**
 * Makes a call of the pure intrinsic `name`. Its type is that of its `expansion`. If the expansion
 * uses an argument, it should use the same object as `args`. The printer then names the argument
 * instead of writing it twice.
 */
export function intrinsic(
  name: string,
  statics: readonly Static[],
  args: readonly Expression[],
  expansion: Expression,
  span?: Span,
): IntrinsicExpression {
  return spanned(
    {
      kind: 'intrinsic',
      type: expansion.type,
      name,
      statics: Object.freeze([...statics]),
      args: Object.freeze([...args]),
      expansion,
    },
    span,
  );
}
