import {
  loadsIn,
  spinLook,
  waitsByAtomics,
  walkBody,
  type Body,
  type LoopStatement,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import { rememberedSpans, type SpansOf } from './remembered-spans.ts';

/**
 * Returns the spans of the loads with which a program's threads wait: those in waits, and in loops
 * that only read.
 */
export const polledSpans: SpansOf = /* @__PURE__ */ rememberedSpans(polledIn);

/**
 * Returns the spans of the loads and atomics at which a program's threads wait for others: those of
 * `polledSpans`, and those in loops that also change memory or read the clock.
 */
export const waitedSpans: SpansOf = /* @__PURE__ */ rememberedSpans(waitedIn);

function waitedIn(body: Body): ReadonlySet<Span> {
  const waited = new Set(polledSpans(body));
  walkBody(body, {
    statement: (loop) => {
      if (loop.kind !== 'loop' || !waitsByAtomics(loop)) return;
      const atomics = (s: Statement): void => {
        if (s.kind === 'atomic' || (s.kind === 'load' && s.access !== undefined)) waited.add(s.span);
      };
      for (const part of [loop.body, loop.update]) walkBody(part, { statement: atomics });
    },
  });
  return waited;
}

function polledIn(body: Body): ReadonlySet<Span> {
  const polled = new Set<Span>();
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'wait' || s.kind === 'waitAll') addLoads(s.body, polled);
      else if (s.kind === 'loop' && looks(s)) addLoads([...s.body, ...s.update], polled);
    },
  });
  return polled;
}

/** True for a loop that does not change memory, and whose end depends on a value that it reads. */
function looks(loop: LoopStatement): boolean {
  let changes = false;
  walkBody([...loop.body, ...loop.update], {
    statement: (s) => {
      changes ||= s.kind === 'store' || s.kind === 'atomic' || s.kind === 'call' || s.kind === 'loop';
    },
  });
  return !changes && spinLook(loop).ends !== undefined;
}

function addLoads(body: Body, polled: Set<Span>): void {
  for (const { span } of loadsIn(body)) polled.add(span);
}
