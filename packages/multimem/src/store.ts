import { deviceFn, multicastSize, overloaded, unicastPointer, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { chooseFormat, partOf } from './impl/choose-format.ts';
import { needsMulticast } from './impl/needs-multicast.ts';
import type { Multimem } from './multimem-module.ts';

/** @see {@link Multimem.store} */
export const store: DeviceFn<Multimem['store']> = overloaded({
  name: 'multimem.store',
  params: { p: { kind: 'anyPointer' }, v: { kind: 'element', of: 'p' } },
  choose: (given) => {
    const chosen = chooseFormat(given);
    if (chosen.kind === 'refusal') return chosen;
    const { element, width } = chosen;
    return deviceFn(
      {
        name: 'store',
        use: { multicastSize, unicastPointer, needsMulticast, part: partOf(width), E: element, width },
      },
      ({ multicastSize, unicastPointer, needsMulticast, part, E, width, unroll }, p: Ptr, v: number) => {
        needsMulticast(p);
        for (let member = 0; member < multicastSize(p); member++) {
          const copy = unicastPointer(p, member).cast(E);
          for (const k of unroll(width)) copy.store(k, part(v, k), 'relaxed', 'system');
        }
      },
    );
  },
});
