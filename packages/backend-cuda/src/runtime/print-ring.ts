import type { CudaDriver } from '../ffi/cuda-driver.ts';
import { NcclError } from '@nccl-ts/core';
import { readScalar } from '@nccl-ts/ir';
import { printedLine } from '@nccl-ts/transport';
import type { PrintSite } from '../cuda-source.ts';
import { CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE } from '../ffi/cu-constants.ts';
import { nativeView, setPointer } from '../ffi/native-memory.ts';
import { printerLayout } from './argument-layout.ts';

/** The words before the ring. The first is the host's read position. */
const headWords = 8;
/**
 * The words of a line before its values: print statement and stream, thread and x of the CTA, its y
 * and z.
 */
const lineHeadWords = 3;
/** The GPU's own counters: allocated words, lost lines, and the end of the room that it knows. */
const countsBytes = 24;

/** The GPU calls that the ring makes. */
interface PrintDevice {
  readonly rank: number;
  readonly ordinal: number;
  readonly driver: CudaDriver;
  makeCurrent(): void;
  clear(address: number, bytes: number): Promise<void>;
  download(address: number, into: Uint8Array): Promise<void>;
}

/**
 * The printed lines of one GPU's kernels, in host memory that the GPU writes. It corresponds to
 * `nts::print` in the emitted text. The lines are read in the order in which the GPU allocated
 * them: those of a thread in order, and those of a kernel after those of earlier kernels on its
 * stream.
 */
export class PrintRing {
  readonly #device: PrintDevice;
  /** On the GPU. */
  readonly #counts: number;
  readonly #address: number;
  readonly #words: BigUint64Array<ArrayBuffer>;
  readonly #view: DataView;
  readonly #sites: PrintSite[] = [];
  /** The lines that were not taken yet, by the number of their stream. */
  readonly #lines = new Map<number, string[]>();
  #failedAssertions: string[] = [];
  #read = 0;
  #lost = 0;

  /** Creates a ring of `bytes`, a power of two, in host memory. */
  static async create(device: PrintDevice, bytes: number): Promise<PrintRing> {
    const { driver } = device;
    device.makeCurrent();
    const counts = driver.handle('cuMemAlloc_v2', countsBytes);
    try {
      await device.clear(counts, countsBytes);
      device.makeCurrent();
      const flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
      const address = driver.handle('cuMemHostAlloc', headWords * 8 + bytes, flags);
      return new PrintRing(device, counts, address, bytes);
    } catch (error) {
      driver.call('cuMemFree_v2', counts);
      throw error;
    }
  }

  private constructor(device: PrintDevice, counts: number, address: number, bytes: number) {
    this.#device = device;
    this.#counts = counts;
    this.#address = address;
    const { buffer } = nativeView(device.driver.koffi, address, headWords * 8 + bytes);
    this.#words = new BigUint64Array(buffer).fill(0n);
    this.#view = new DataView(buffer);
  }

  /** Adds the print statements of a kernel. Returns the number of the first. */
  addSites(sites: readonly PrintSite[]): number {
    const first = this.#sites.length;
    for (const site of sites) this.#sites.push(site);
    return first;
  }

  /** Writes the printer argument of a kernel, except for the stream. */
  writePrinter(view: DataView, offset: number, firstSite: number): void {
    setPointer(view, offset + printerLayout.given, this.#counts);
    setPointer(view, offset + printerLayout.read, this.#address);
    view.setUint32(offset + printerLayout.mask, this.#ringWords - 1, true);
    view.setUint32(offset + printerLayout.firstSite, firstSite, true);
  }

  /** Reads the current lines, and makes room for more. */
  drain(): void {
    const before = this.#read;
    for (;;) {
      const head = this.#head();
      const site = this.#sites[Number(head & 0xffffffffn) - 1];
      if (site === undefined) break;
      this.#readLine(site, Number(head >> 32n));
    }
    // The GPU must not see the room before the zeros.
    if (this.#read !== before) Atomics.store(this.#words, 0, BigInt(this.#read));
  }

  /**
   * Reads all lines of kernels that have ended. If lines did not fit, it adds a line for `stream`
   * that says so.
   *
   * @throws NcclError if the context was lost, or if a kernel has overwritten the ring.
   */
  async settle(stream: number): Promise<void> {
    const { given, lost } = await this.#readCounts();
    // A kernel on another stream may be in the middle of a line before these. It completes the line
    // in a moment.
    for (this.drain(); this.#read < given; this.drain()) {
      if (this.#head() !== 0n) throw this.#overwritten();
      await this.#readCounts();
    }
    const missing = lost - this.#lost;
    if (missing <= 0) return;
    this.#lost = lost;
    const { rank } = this.#device;
    this.#add(
      stream,
      `[rank ${rank}] the print buffer of ${this.#ringWords * 8} bytes was full: ${missing} lines are lost`,
    );
  }

  /** Returns the lines of a stream that were read and not taken yet. */
  take(stream: number): readonly string[] {
    const lines = this.#lines.get(stream) ?? [];
    this.#lines.delete(stream);
    return lines;
  }

  /** Returns the lines of all streams, and those of them that are failed assertions. */
  takeAll(): { readonly lines: readonly string[]; readonly failedAssertions: readonly string[] } {
    const lines = [...this.#lines.values()].flat();
    const failedAssertions = this.#failedAssertions;
    this.#lines.clear();
    this.#failedAssertions = [];
    return { lines, failedAssertions };
  }

  dispose(): void {
    const { driver } = this.#device;
    this.#device.makeCurrent();
    driver.check('cuMemFreeHost', this.#address);
    driver.check('cuMemFree_v2', this.#counts);
  }

  get #ringWords(): number {
    return this.#words.length - headWords;
  }

  #indexOf(word: number): number {
    return headWords + (word % this.#ringWords);
  }

  /** Returns the first word of the next line; 0 until the line is complete. */
  #head(): bigint {
    return Atomics.load(this.#words, this.#indexOf(this.#read));
  }

  #readLine(site: PrintSite, stream: number): void {
    const at = (word: number): number => 8 * this.#indexOf(this.#read + word);
    const u32 = (word: number, half: 0 | 1): number => this.#view.getUint32(at(word) + 4 * half, true);
    const by = { rank: this.#device.rank, blockIdx: { x: u32(1, 0), y: u32(2, 0), z: u32(2, 1) }, thread: u32(1, 1) };
    let words = lineHeadWords;
    const parts = site.parts.map((part) =>
      'text' in part ? part.text : readScalar(this.#view, at(words++), part.scalar),
    );
    const line = printedLine(by, parts);
    this.#add(stream, line);
    if (site.kind === 'assert') this.#failedAssertions.push(line);
    for (let word = 0; word < words; word++) this.#words[this.#indexOf(this.#read + word)] = 0n;
    this.#read += words;
  }

  #add(stream: number, line: string): void {
    const lines = this.#lines.get(stream);
    if (lines === undefined) this.#lines.set(stream, [line]);
    else lines.push(line);
  }

  /** Returns the numbers of allocated words, and of lost lines, so far. */
  async #readCounts(): Promise<{ readonly given: number; readonly lost: number }> {
    const counts = new BigUint64Array(2);
    await this.#device.download(this.#counts, new Uint8Array(counts.buffer));
    return { given: Number(counts[0]), lost: Number(counts[1]) };
  }

  #overwritten(): NcclError {
    const { ordinal, rank } = this.#device;
    return new NcclError(
      'NCCL_INTERNAL_ERROR',
      `The print buffer of GPU ${ordinal} (rank ${rank}) has data that no print wrote: a kernel has stored out of bounds.`,
    );
  }
}
