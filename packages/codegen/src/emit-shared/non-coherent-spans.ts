import { walkBody, type Body, type Span } from '@nccl-ts/ir';

/** Returns the spans of the loads that GPUs may serve from a cache which no store updates. */
export function nonCoherentSpans(body: Body): ReadonlySet<Span> {
  const found = new Set<Span>();
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'load' && s.isNonCoherent === true) found.add(s.span);
    },
  });
  return found;
}
