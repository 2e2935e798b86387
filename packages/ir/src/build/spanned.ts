import type { ExpressionKind } from '../expression.ts';
import type { Span } from '../span.ts';

/** The frozen node, with `span` if there is one: an absent span is an absent field. */
export function spanned<const N extends { readonly kind: ExpressionKind }>(
  node: N,
  span: Span | undefined,
): Readonly<N> & { readonly span?: Span } {
  return Object.freeze(span === undefined ? node : { ...node, span });
}
