/**
 * The members of WebAssembly that the benchmark needs. TypeScript declares WebAssembly only with
 * the whole DOM.
 */
declare const WebAssembly: {
  readonly Memory: new (descriptor: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
};

const PAGE_BYTES = 65536;

/** The bytes of the WebAssembly memory that is the simulator's heap. */
export function heapMemory(bytes: number): ArrayBuffer {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) }).buffer;
}
