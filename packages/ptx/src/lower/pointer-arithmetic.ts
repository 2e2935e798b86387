import {
  binary,
  constant,
  convert,
  pointerCast,
  pointerOffset,
  scalarType,
  vectorType,
  type Expression,
  type ValueType,
} from '@nccl-ts/ir';
import { bitsAs, bitsConstant } from './scalar-bits.ts';

/** A number that is added to an address: the sum of locals times scales, plus a constant. */
export interface Offset {
  readonly terms: readonly { readonly value: Expression; readonly scale: bigint }[];
  readonly constant: bigint;
}

const u8 = scalarType('u8');
const i64 = scalarType('i64');

/** Element types by their size in bytes. */
const elements: ReadonlyMap<bigint, ValueType> = new Map<bigint, ValueType>([
  [1n, u8],
  [2n, scalarType('u16')],
  [4n, scalarType('u32')],
  [8n, scalarType('u64')],
  [16n, vectorType('u32', 4)],
]);

/** `pointer`, to bytes, moved by `offset`. */
export function advance(pointer: Expression, offset: Offset): Expression {
  let at = pointer;
  for (const { value, scale } of offset.terms) {
    const element = elements.get(scale);
    if (element === undefined) {
      const bytes = binary('mul', asI64(value), bitsConstant('i64', scale));
      at = pointerOffset(at, bytes);
    } else {
      at = scale === 1n ? pointerOffset(at, value) : pointerCast(u8, pointerOffset(pointerCast(element, at), value));
    }
  }
  return advanceBy(at, offset.constant);
}

/** `pointer`, to bytes, moved by a known number of bytes. */
export function advanceBy(pointer: Expression, bytes: bigint): Expression {
  const by = BigInt.asIntN(64, bytes);
  if (by === 0n) return pointer;
  const isSmall = by === BigInt.asIntN(32, by);
  return pointerOffset(pointer, isSmall ? constant('i32', Number(by)) : constant('i64', by));
}

/** The offset as 64 bits. */
export function offsetAsU64(offset: Offset): Expression {
  let sum: Expression | undefined;
  const add = (value: Expression): void => {
    sum = sum === undefined ? value : binary('add', sum, value);
  };
  for (const { value, scale } of offset.terms) {
    const wide = bitsAs(asI64(value), 'u64');
    add(scale === 1n ? wide : binary('mul', wide, bitsConstant('u64', scale)));
  }
  if (offset.constant !== 0n || sum === undefined) add(bitsConstant('u64', offset.constant));
  return sum ?? bitsConstant('u64', 0n);
}

/** The low 32 bits of the offset. */
export function offsetAsU32(offset: Offset): Expression {
  let sum: Expression | undefined;
  const add = (value: Expression): void => {
    sum = sum === undefined ? value : binary('add', sum, value);
  };
  for (const { value, scale } of offset.terms) {
    const low = bitsAs(value, 'u32');
    add(scale === 1n ? low : binary('mul', low, bitsConstant('u32', scale)));
  }
  if (offset.constant !== 0n || sum === undefined) add(bitsConstant('u32', offset.constant));
  return sum ?? bitsConstant('u32', 0n);
}

/** The sign determines the operation. */
function asI64(value: Expression): Expression {
  return value.type.kind === 'scalar' && value.type.scalar === 'i64' ? value : convert(i64, value);
}
