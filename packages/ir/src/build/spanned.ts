import type { ExpressionKind } from '../expression.ts';
import type { Span } from '../span.ts';

/** Freezes the node, and adds `span` if there is one. Without a span the node has no such field. */
export function spanned<const N extends { readonly kind: ExpressionKind }>(
  node: N,
  span: Span | undefined,
): Readonly<N> & { readonly span?: Span } {
  return Object.freeze(span === undefined ? node : { ...node, span });
}
