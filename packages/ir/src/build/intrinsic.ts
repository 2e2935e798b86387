import type { Expression, IntrinsicExpression } from '../expression.ts';
import type { Span } from '../span.ts';
import type { Static } from '../static.ts';
import { spanned } from './spanned.ts';

/**
 * A call of the pure intrinsic `name`, of the type of its `expansion`. If the expansion uses an
 * argument, it should be the same object as in `args`: the printer then names it instead of writing
 * it twice.
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
