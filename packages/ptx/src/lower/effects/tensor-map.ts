import { binary, constant, convert, local, pointerCast, pointerOffset, scalarType, type Expression } from '@nccl-ts/ir';
import type { ScalarKind } from '@nccl-ts/core';
import { tensorMapLayout, tensorMapMark } from '../../tensor-map.ts';
import type { PtxOperand } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { and, equal, u32, variable, set } from './build.ts';

/** A tensor map that an instruction has read, with an entry for each dimension. */
export interface TensorMap {
  readonly base: Expression;
  readonly elementBytes: Expression;
  readonly type: Expression;
  /** 0, 1, 3 or 7: the bits of the number of 16 bytes in a line that are exchanged. */
  readonly swizzle: Expression;
  readonly sizes: readonly Expression[];
  readonly box: readonly Expression[];
  /** In bytes, as i64. That of dimension 0 is not used. */
  readonly strides: readonly Expression[];
}

/** Emits the loads of a tensor map with `rank` dimensions. */
export function readTensorMap(lowering: Lowering, address: PtxOperand, rank: number): TensorMap {
  const { span } = lowering;
  const at = tensorMapLayout;
  const fields: { readonly offset: number; readonly kind: ScalarKind; readonly id: number }[] = [];
  const field = (offset: number, kind: ScalarKind): Expression => {
    const type = scalarType(kind);
    const id = lowering.local('map', type);
    fields.push({ offset, kind, id });
    return local(id, type);
  };
  const each = (offset: number): readonly Expression[] =>
    Array.from({ length: rank }, (_, k) => field(offset + 4 * k, 'u32'));
  const mark = field(at.mark, 'u32');
  const kinds = field(at.rank, 'u32');
  const base = field(at.base, 'u64');
  const sizes = each(at.sizes);
  const box = each(at.box);
  const strides = Array.from({ length: rank }, (_, k) =>
    k === 0 ? undefined : field(at.strides + 8 * (k - 1), 'u64'),
  );
  lowering.memory(withoutMore(address), undefined, scalarType('u32'), (pointer) => {
    for (const { offset, kind, id } of fields) {
      const bytes = pointerOffset(pointerCast(scalarType('u8'), pointer), u32(offset));
      lowering.emit({ kind: 'load', local: id, pointer: pointerCast(scalarType(kind), bytes), span });
    }
  });
  lowering.emit({
    kind: 'assert',
    condition: equal(mark, u32(tensorMapMark)),
    message: 'the tensor map is none that the harness made: pass tensorMap({ ... })',
    span,
  });
  const part = (offset: number): Expression => and(binary('shr', kinds, u32(8 * (offset - at.rank))), u32(0xff));
  lowering.emit({
    kind: 'assert',
    condition: equal(part(at.rank), u32(rank)),
    message: `the tensor map does not have ${rank} dimensions, as the instruction says`,
    span,
  });
  const swizzle = variable(lowering, 'swizzle', scalarType('u32'));
  lowering.emit(set(lowering, swizzle, binary('sub', binary('shl', u32(1), part(at.swizzle)), u32(1))));
  return {
    base,
    elementBytes: lowering.keep('element', part(at.elementBytes)),
    type: lowering.keep('type', part(at.type)),
    swizzle: swizzle.value,
    sizes,
    box,
    strides: strides.map((stride) =>
      stride === undefined ? constant('i64', 0n) : lowering.keep('stride', convert(scalarType('i64'), stride)),
    ),
  };
}

/** The address without the coordinates. */
export function withoutMore(address: PtxOperand): PtxOperand {
  if (address.kind !== 'address') return address;
  const { kind, base, offset } = address;
  return base === undefined ? { kind, offset } : { kind, base, offset };
}
