import type { Body, Span } from '@nccl-ts/ir';

/** Finds spans in a body. */
export type SpansOf = (body: Body) => ReadonlySet<Span>;

/** Returns a function that searches each body once. An exploration asks for each of its threads. */
export function rememberedSpans(find: SpansOf): SpansOf {
  const known = new WeakMap<Body, ReadonlySet<Span>>();
  return (body) => {
    const found = known.get(body) ?? find(body);
    known.set(body, found);
    return found;
  };
}
