import { walkBody, type Body, type Span } from '@nccl-ts/ir';
import { rememberedSpans, type SpansOf } from './remembered-spans.ts';

/** Returns the spans of the loads that GPUs may serve from a cache which no store updates. */
export const nonCoherentSpans: SpansOf = /* @__PURE__ */ rememberedSpans(nonCoherentIn);

function nonCoherentIn(body: Body): ReadonlySet<Span> {
  const found = new Set<Span>();
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'load' && s.isNonCoherent === true) found.add(s.span);
    },
  });
  return found;
}
