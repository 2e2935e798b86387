import type { PtxVariable } from '@nccl-ts/ptx';

/** What a `.global` variable holds to begin with; `undefined`: zeros. `address` gives that of another variable of the rank. */
export function variableImage(
  { initial }: PtxVariable,
  address: (name: string) => bigint,
): Uint8Array<ArrayBuffer> | undefined {
  if (initial === undefined) return undefined;
  const bytes = Uint8Array.from(initial.bytes);
  const view = new DataView(bytes.buffer);
  for (const { at, symbol, offset } of initial.addresses) {
    view.setBigUint64(at, BigInt.asUintN(64, address(symbol) + offset), true);
  }
  return bytes;
}
