import type { PtxVariable } from '@nccl-ts/ptx';

/**
 * The initial contents of a `.global` variable, which are zeros without an initializer. `address`
 * returns the address of another variable of the rank.
 */
export function variableImage(
  { initial, bytes: size }: PtxVariable,
  address: (name: string) => bigint,
): Uint8Array<ArrayBuffer> {
  if (initial === undefined) return new Uint8Array(size);
  const bytes = Uint8Array.from(initial.bytes);
  const view = new DataView(bytes.buffer);
  for (const { at, symbol, offset } of initial.addresses) {
    view.setBigUint64(at, BigInt.asUintN(64, address(symbol) + offset), true);
  }
  return bytes;
}
