import { PAGE_BYTES, type WebAssemblyMemory } from '@nccl-ts/codegen';

const detach: (buffer: ArrayBuffer, options: { readonly transfer: readonly ArrayBuffer[] }) => unknown =
  structuredClone;

/**
 * JavaScript memory, for hosts without WebAssembly and for processes whose address space is too
 * small for it: V8 reserves some 10 GiB for every WebAssembly memory. Growing copies it.
 */
export class PlainMemory implements WebAssemblyMemory {
  #buffer: ArrayBuffer;

  /** @throws RangeError if there is not enough memory. */
  constructor(pages: number) {
    this.#buffer = new ArrayBuffer(pages * PAGE_BYTES);
  }

  get buffer(): ArrayBuffer {
    return this.#buffer;
  }

  grow(pages: number): number {
    const before = this.#buffer;
    const after = new ArrayBuffer(before.byteLength + pages * PAGE_BYTES);
    new Uint8Array(after).set(new Uint8Array(before));
    this.#buffer = after;
    // Code that still uses the old buffer sees no bytes, as with WebAssembly, rather than outdated
    // contents.
    detach(before, { transfer: [before] });
    return before.byteLength / PAGE_BYTES;
  }
}
