import type { LoopStatement, WaitStatement } from '../statement.ts';
import { readLocals } from '../visit/locals.ts';
import { retriedCas } from './retried-cas.ts';

/**
 * What a loop waits for that tries a compare-and-swap until it succeeds, as for a lock: `loop { b = cas p, v, expected e if (b == e) { break } }`.
 * Rounds in which it fails do nothing, so that one who first waits until the word can be what is expected does all that the loop does, but for
 * rounds without an end. `undefined` for other loops.
 */
export function spinWait(loop: LoopStatement): WaitStatement | undefined {
  const retried = retriedCas(loop);
  if (retried === undefined || retried.rest.length > 0) return undefined;
  const { before: local, expected, holds } = retried;
  const { pointer, value, access, span } = retried.atomic;
  if ([expected, pointer, value].some((e) => readLocals(e).has(local))) return undefined;
  const load = { kind: 'load', local, pointer, access: { ...access, order: 'relaxed' }, span } as const;
  return { kind: 'wait', body: [load], condition: holds, span };
}
