import { deviceFn, multicastSize, overloaded, unicastPointer, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { multimemOps } from './formats.ts';
import { chooseFormat, chooseOp, partOf } from './impl/choose-format.ts';
import { needsMulticast } from './impl/needs-multicast.ts';
import { updateOf } from './impl/update.ts';
import type { Multimem } from './multimem-module.ts';

/** @see {@link Multimem.reduce} */
export const reduce: DeviceFn<Multimem['reduce']> = overloaded({
  name: 'multimem.reduce',
  params: {
    p: { kind: 'anyPointer' },
    v: { kind: 'element', of: 'p' },
    'op?': { kind: 'word', words: multimemOps },
  },
  choose: (given) => {
    const chosen = chooseFormat(given);
    if (chosen.kind === 'refusal') return chosen;
    const op = chooseOp(given, chosen, chosen.format.reduce);
    if (typeof op !== 'string') return op;
    const { element, width } = chosen;
    const use = {
      multicastSize,
      unicastPointer,
      needsMulticast,
      part: partOf(width),
      update: updateOf(element.scalar, op),
      E: element,
      width,
    };
    return deviceFn(
      { name: 'reduce', use },
      ({ multicastSize, unicastPointer, needsMulticast, part, update, E, width, unroll }, p: Ptr, v: number) => {
        needsMulticast(p);
        for (let member = 0; member < multicastSize(p); member++) {
          const copy = unicastPointer(p, member).cast(E);
          for (const k of unroll(width)) update(copy, k, part(v, k));
        }
      },
    );
  },
});
