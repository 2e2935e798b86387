import { deviceFn, multicastSize, overloaded, unicastPointer, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { multimemOps, type MultimemOp } from './formats.ts';
import { chooseFormat, chooseOp, partOf } from './impl/choose-format.ts';
import { needsMulticast } from './impl/needs-multicast.ts';
import { updateOf } from './impl/update.ts';

/**
 * `multimem.reduce(p, v, op)`: combines `v` by `op` (`'add'` by default) into every copy behind the
 * multicast pointer `p`, including the calling rank's. Returns nothing. It atomically updates each
 * element of each copy, relaxed, at system scope. The copies are updated in no particular order, so
 * a concurrent reader of two copies may find only one of them updated.
 *
 * Types and operations outside `multimemFormats` are refused when the kernel is compiled.
 *
 * @see multimem.red in the PTX ISA
 */
export const reduce: DeviceFn<(p: Ptr, v: number, op?: MultimemOp) => void> = overloaded({
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
