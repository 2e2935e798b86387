import type { FabricReduction } from '@nccl-ts/codegen';
import type { OperationPiece } from './operation.ts';

/** Copies bytes, or combines elements into others or from several copies. */
export interface Named {
  readonly kind: 'put' | 'get';
  readonly reduction?: FabricReduction | undefined;
}

/** The name of an operation's call, without the endpoint and the counter. */
export function nameOf({ kind, reduction }: Named): 'put' | 'get' | 'red' | 'pullRed' {
  if (reduction === undefined) return kind;
  return kind === 'put' ? 'red' : 'pullRed';
}

/** The bytes of an element. */
export function elementBytes({ element }: FabricReduction): 4 | 8 {
  return element === 'u32' || element === 'i32' ? 4 : 8;
}

/** The byte offsets of a piece's elements. */
export function elementsOf(
  reduction: FabricReduction,
  { offset, bytes }: Pick<OperationPiece, 'offset' | 'bytes'>,
): readonly number[] {
  const size = elementBytes(reduction);
  return Array.from({ length: bytes / size }, (_, i) => offset + i * size);
}

/** The bits of two elements, combined. */
export function combined(reduction: FabricReduction, a: bigint, b: bigint): bigint {
  const { op, element } = reduction;
  const bits = 8 * elementBytes(reduction);
  switch (op) {
    case 'sum':
      return BigInt.asUintN(bits, a + b);
    case 'and':
      return a & b;
    case 'or':
      return a | b;
    case 'xor':
      return a ^ b;
    case 'min':
    case 'max': {
      const ordered = (x: bigint): bigint =>
        element.startsWith('i') ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x);
      const isLess = ordered(a) < ordered(b);
      return isLess === (op === 'min') ? a : b;
    }
  }
}

/** Combines the elements of a piece of `from` into those of `into`, each at its first byte. */
export function combineInto(
  reduction: FabricReduction,
  piece: OperationPiece,
  into: { readonly bytes: Uint8Array; readonly at: number },
  from: { readonly bytes: Uint8Array; readonly at: number },
): void {
  const size = elementBytes(reduction);
  const [target, source] = [viewOf(into.bytes), viewOf(from.bytes)];
  for (const offset of elementsOf(reduction, piece)) {
    const result = combined(reduction, bitsAt(target, into.at + offset, size), bitsAt(source, from.at + offset, size));
    if (size === 4) target.setUint32(into.at + offset, Number(result), true);
    else target.setBigUint64(into.at + offset, result, true);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function bitsAt(view: DataView, at: number, size: 4 | 8): bigint {
  return size === 4 ? BigInt(view.getUint32(at, true)) : view.getBigUint64(at, true);
}
