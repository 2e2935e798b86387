import {
  deviceFn,
  multicastSize,
  overloaded,
  unicastPointer,
  type DeviceFn,
  type Ptr,
  type ScalarParam,
} from '@nccl-ts/kernel';
import { multimemOps, type MultimemOp } from './formats.ts';
import { chooseFormat, chooseOp, type Chosen } from './impl/choose-format.ts';
import { combine } from './impl/combine.ts';
import { needsMulticast } from './impl/needs-multicast.ts';
import type { Multimem } from './multimem-module.ts';

/** @see {@link Multimem.loadReduce} */
export const loadReduce: DeviceFn<Multimem['loadReduce']> = overloaded({
  name: 'multimem.loadReduce',
  params: { p: { kind: 'anyPointer' }, 'op?': { kind: 'word', words: multimemOps } },
  choose: (given) => {
    const chosen = chooseFormat(given);
    if (chosen.kind === 'refusal') return chosen;
    const op = chooseOp(given, chosen, chosen.format.loadReduce);
    if (typeof op !== 'string') return op;
    const one = reduced(chosen, op);
    return chosen.width === 1 ? scalar(one) : vector(chosen, one);
  },
});

type Reduced = DeviceFn<(p: Ptr, k: number) => number>;

/**
 * Combines element number `k` of all copies. `min` and `max` are exact in the accumulator's type
 * too.
 */
function reduced({ element, format }: Chosen, op: MultimemOp): Reduced {
  const wide: ScalarParam = Object.freeze({ kind: 'scalar', scalar: format.accumulator });
  const use = { multicastSize, unicastPointer, combine: combine[op], E: element, A: wide };
  return deviceFn({ name: 'reduced', use }, ({ multicastSize, unicastPointer, combine, E, A }, p: Ptr, k: number) => {
    let all = A(unicastPointer(p, 0).cast(E).load(k, 'relaxed', 'system'));
    for (let member = 1; member < multicastSize(p); member++) {
      all = combine(all, A(unicastPointer(p, member).cast(E).load(k, 'relaxed', 'system')));
    }
    return E(all);
  });
}

function scalar(reduced: Reduced): DeviceFn<(p: Ptr) => number> {
  return deviceFn({ name: 'loadReduce', use: { reduced, needsMulticast } }, ({ reduced, needsMulticast }, p: Ptr) => {
    needsMulticast(p);
    return reduced(p, 0);
  });
}

function vector({ type, width }: Chosen, reduced: Reduced): DeviceFn<(p: Ptr) => number> {
  return deviceFn(
    { name: 'loadReduce', use: { reduced, needsMulticast, T: type, width } },
    ({ reduced, needsMulticast, T, width, unroll, withLane }, p: Ptr) => {
      needsMulticast(p);
      let v = T(0);
      for (const k of unroll(width)) v = withLane(v, k, reduced(p, k));
      return v;
    },
  );
}
