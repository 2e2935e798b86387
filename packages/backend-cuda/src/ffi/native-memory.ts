import type { Koffi } from './koffi.ts';

/** Bytes outside JavaScript's heap, whose address does not change. Only `free` frees them. */
export interface NativeMemory {
  readonly address: number;
  readonly bytes: number;
  readonly view: DataView;
  readonly u8: Uint8Array<ArrayBuffer>;
  free(): void;
}

/** Allocates zeroed bytes, aligned to 16. */
export function allocateNative(koffi: Koffi, bytes: number): NativeMemory {
  const pointer = koffi.alloc('uint64_t', Math.ceil(bytes / 8));
  const buffer = koffi.view(pointer, bytes);
  const u8 = new Uint8Array(buffer);
  u8.fill(0);
  let freed = false;
  return {
    address: Number(koffi.address(pointer)),
    bytes,
    view: new DataView(buffer),
    u8,
    free: () => {
      if (freed) return;
      freed = true;
      koffi.free(pointer);
    },
  };
}

/** Returns a view of memory that has another owner. */
export function nativeView(koffi: Koffi, address: number, bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(koffi.view(BigInt(address), bytes));
}

/** Writes a pointer or a 64-bit handle. */
export function setPointer(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value >>> 0, true);
  view.setUint32(offset + 4, Math.floor(value / 2 ** 32), true);
}

/** Reads a pointer or a 64-bit handle. Values above 2^53 are not exact. */
export function getPointer(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}

/** Returns the text at an address, up to its zero byte. */
export function nativeString(koffi: Koffi, address: number): string {
  return address === 0 ? '' : String(koffi.decode(BigInt(address), 'char', -1));
}
