import { type ControlStatement, type Liveness, type Statement } from '@nccl-ts/ir';

import type { JsContext } from './js-context.ts';
import {
  containsMeeting,
  isAllUniform,
  isLeftDivergently,
  jumpsOut,
  movesAccesses,
  setsSharedLocal,
  uniformLoop,
} from './lockstep.ts';
import { containsStride } from './stride.ts';

/** True if the control flow of `s` is outside the loops over threads. */
export function isCtaControlFlow(context: JsContext, liveness: Liveness, s: ControlStatement): boolean {
  const isDivergent = (inner: Statement): boolean => context.uniformity.divergence(inner) !== undefined;
  if (isDivergent(s)) return false;
  const wants = (): boolean => needsCtaControlFlow(context, liveness, s, isDivergent);
  switch (s.kind) {
    case 'break':
    case 'continue':
    case 'leave':
    case 'return':
      return true;
    case 'if':
      return context.uniformity.isUniform(s.condition) && wants();
    case 'loop':
      return uniformLoop(context, s) && !isLeftDivergently(s, isDivergent) && wants();
    case 'block':
      return !isLeftDivergently(s, isDivergent) && wants();
    case 'call':
      return false;
  }
}

function needsCtaControlFlow(
  context: JsContext,
  liveness: Liveness,
  s: Statement,
  isDivergent: (s: Statement) => boolean,
): boolean {
  return (
    containsMeeting([s]) ||
    isAllUniform(context, s) ||
    [...jumpsOut(s, isDivergent).values()].includes(false) ||
    setsSharedLocal(context, liveness, s) ||
    containsStride(context, s) ||
    movesAccesses(context, s)
  );
}
