import { deviceFn, multicastSize, overloaded, unicastPointer, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { chooseFormat, partOf } from './impl/choose-format.ts';
import { needsMulticast } from './impl/needs-multicast.ts';

/**
 * `multimem.store(p, v)`: stores `v` to every copy behind the multicast pointer `p`, including the
 * calling rank's. `v` is converted to the element type of `p`, like an argument. The store is
 * relaxed, at system scope. Each element of a vector is a separate store. Other accesses to the
 * same bytes use other addresses, so order them with `fenceProxy('alias')`.
 *
 * Types outside `multimemFormats` are refused when the kernel is compiled.
 *
 * @see multimem.st in the PTX ISA
 */
export const store: DeviceFn<(p: Ptr, v: number) => void> = overloaded({
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
