import { compare, constant, pointerOffset, scalarType, vectorType, type Expression, type Statement } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { count, equal, set, u32, variable, when } from './build.ts';

/** A copy from global to shared memory. */
interface AsyncBytes {
  readonly to: Expression;
  readonly from: Expression;
  /** 4, 8 or 16. */
  readonly bytes: number;
  /** The number of bytes that are read. The others become zero. All are read, if it is absent. */
  readonly given: Expression | undefined;
}

/** Copies the first `given` of `bytes` bytes, and writes zeros to the others. */
export function copyBytes(lowering: Lowering, { given, ...copy }: AsyncBytes): readonly Statement[] {
  const whole = move(lowering, copy);
  if (given === undefined) return whole;
  return [when(lowering, equal(u32(copy.bytes), given), whole, fill(lowering, { ...copy, given }))];
}

function move(lowering: Lowering, { to, from, bytes }: Omit<AsyncBytes, 'given'>): readonly Statement[] {
  const { span } = lowering;
  const type = bytes === 4 ? scalarType('u32') : vectorType('u32', bytes === 8 ? 2 : 4);
  const { id, value } = variable(lowering, 'copied', type);
  return [
    { kind: 'load', local: id, pointer: lowering.pointerAt('global', from, type), span },
    { kind: 'store', pointer: lowering.pointerAt('shared', to, type), value, span },
  ];
}

function fill(
  lowering: Lowering,
  { to, from, bytes, given }: AsyncBytes & { readonly given: Expression },
): readonly Statement[] {
  const { span } = lowering;
  const type = scalarType('u8');
  const index = variable(lowering, 'byte', scalarType('u32'));
  const copied = variable(lowering, 'copied', type);
  const source = pointerOffset(lowering.pointerAt('global', from, type), index.value);
  const pointer = pointerOffset(lowering.pointerAt('shared', to, type), index.value);
  return [
    set(lowering, index, u32(0)),
    count(lowering, index, u32(bytes), [
      set(lowering, copied, constant('u8', 0)),
      when(lowering, compare('lt', index.value, given), [{ kind: 'load', local: copied.id, pointer: source, span }]),
      { kind: 'store', pointer, value: copied.value, span },
    ]),
  ];
}
