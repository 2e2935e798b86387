import {
  compare,
  constant,
  multicastSize,
  scalarType,
  unicastPointer,
  type Expression,
  type Statement,
  type StoreStatement,
} from '@nccl-ts/ir';
import type { InstructionLowering } from './lower-instruction.ts';
import { count, set, variable, when } from './effects/build.ts';

/**
 * Emits the stores of an instruction that is not `multimem`. `stores` makes them for a pointer. If
 * launches pass multicast addresses, and the pointer is one, every copy is stored to, as by GPUs.
 */
export function emitStores(
  pointer: Expression,
  lowering: InstructionLowering,
  stores: (to: Expression) => readonly StoreStatement[],
): void {
  const isGlobal = pointer.type.kind === 'pointer' && pointer.type.space === 'global';
  if (!isGlobal || !lowering.builder.hasMulticast) {
    for (const statement of stores(pointer)) lowering.emit(statement);
    return;
  }
  const to = lowering.keep('to', pointer);
  const member = variable(lowering, 'member', scalarType('i32'));
  const copies = stores(unicastPointer(to, member.value)).map((store): Statement => ({ ...store, broadcast: true }));
  lowering.emit(
    when(
      lowering,
      compare('gt', multicastSize(to), constant('i32', 0)),
      [set(lowering, member, constant('i32', 0)), count(lowering, member, multicastSize(to), copies)],
      stores(to),
    ),
  );
}
