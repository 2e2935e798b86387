/**
 * The little of WebAssembly that the heap needs. Node and every browser have it, but TypeScript declares it only
 * together with the whole DOM.
 */
interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

declare const WebAssembly: {
  readonly Memory: new (descriptor: { readonly initial: number; readonly maximum: number }) => WebAssemblyMemory;
};

export type { WebAssemblyMemory };

export const PAGE_BYTES = 65536;

/** Memory that grows in place. Throws a `RangeError` where the address space for `maximumPages` is not to be had. */
export function createMemory(initialPages: number, maximumPages: number): WebAssemblyMemory {
  return new WebAssembly.Memory({ initial: initialPages, maximum: maximumPages });
}
