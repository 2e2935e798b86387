import { CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE } from '../ffi/cu-constants.ts';
import type { CudaDriver } from '../ffi/cuda-driver.ts';
import { nativeView } from '../ffi/native-memory.ts';

/** The distance between words, chosen so that no two share a read of a GPU. */
const strideBytes = 64;
const pageBytes = 4096;

/** A word of host memory that kernels read. A nonzero value ends their waits. */
export interface AbortWord {
  /** The address, which is the same for the host and for every GPU. */
  readonly address: number;
  set(value: 0 | 1): void;
}

/** Allocates words, and pages for them when they are needed. */
export class AbortWords {
  readonly #driver: CudaDriver;
  readonly #pages: number[] = [];
  #free: AbortWord[] = [];

  constructor(driver: CudaDriver) {
    this.#driver = driver;
  }

  take(): AbortWord {
    if (this.#free.length === 0) this.#addPage();
    const word = this.#free.pop();
    if (word === undefined) throw new RangeError('A new page has no words.');
    word.set(0);
    return word;
  }

  giveBack(word: AbortWord): void {
    this.#free.push(word);
  }

  dispose(): void {
    this.#free = [];
    for (const page of this.#pages.splice(0)) this.#driver.check('cuMemFreeHost', page);
  }

  #addPage(): void {
    const flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    const page = this.#driver.handle('cuMemHostAlloc', pageBytes, flags);
    this.#pages.push(page);
    const words = new Uint32Array(nativeView(this.#driver.koffi, page, pageBytes).buffer);
    for (let at = 0; at < pageBytes; at += strideBytes) {
      this.#free.push({
        address: page + at,
        set: (value) => {
          words[at / 4] = value;
        },
      });
    }
  }
}
