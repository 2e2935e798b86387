import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCudaDriver, type CudaDriver } from '../../src/ffi/cuda-driver.ts';
import { loadKoffi } from '../../src/ffi/koffi.ts';
import { getPointer, nativeView } from '../../src/ffi/native-memory.ts';
import { printerLayout } from '../../src/runtime/argument-layout.ts';
import { CudaDevice } from '../../src/runtime/cuda-device.ts';
import { Poller } from '../../src/runtime/poller.ts';
import type { PrintRing } from '../../src/runtime/print-ring.ts';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from '../support/fake-gpu.ts';

/** Writes to the printer as a kernel does, step by step. */
class Writer {
  readonly #counts: BigUint64Array;
  readonly #ring: BigUint64Array;

  constructor(driver: CudaDriver, ring: PrintRing) {
    const printer = new DataView(new ArrayBuffer(printerLayout.bytes));
    ring.writePrinter(printer, 0, 0);
    const words = printer.getUint32(printerLayout.mask, true) + 1;
    const at = (offset: number, bytes: number): ArrayBuffer =>
      nativeView(driver.koffi, getPointer(printer, offset), bytes).buffer;
    this.#counts = new BigUint64Array(at(printerLayout.given, 16));
    this.#ring = new BigUint64Array(at(printerLayout.read, 64 + 8 * words), 64);
  }

  /** Allocates words, and writes all but the first. Returns a function that writes the first. */
  begin(head: bigint, ...values: readonly bigint[]): () => void {
    const place = Number(this.#counts[0]);
    this.#counts[0] = BigInt(place + 3 + values.length);
    values.forEach((value, i) => {
      this.#ring[(place + 3 + i) % this.#ring.length] = value;
    });
    return () => {
      this.#ring[place % this.#ring.length] = head;
    };
  }
}

describe.skipIf(noFakeGpu !== undefined)(`the ring that kernels print into${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  let driver: CudaDriver;
  beforeAll(async () => {
    gpu = createFakeGpu();
    gpu.configure(1, 1);
    driver = loadCudaDriver(await loadKoffi());
  });
  afterAll(() => gpu.dispose());

  async function opened(use: (ring: PrintRing, writer: Writer) => Promise<void>): Promise<void> {
    const device = new CudaDevice(driver, { ordinal: 0, rank: 0, poller: new Poller(), sharing: 1 });
    const ring = await device.openPrintRing(1024);
    ring.addSites([{ kind: 'print', parts: [{ text: 'value' }, { scalar: 'i32' }] }]);
    await use(ring, new Writer(driver, ring));
    device.dispose();
  }

  const line = (value: number): string => `[rank 0 cta 0 thread 0] value ${value}`;

  it('waits for a line that a kernel on another stream is still writing, although later lines are complete', async () => {
    await opened(async (ring, writer) => {
      const finish = writer.begin((1n << 32n) | 1n, 10n);
      writer.begin(1n, 20n)();
      ring.drain();
      expect(ring.take(0)).toEqual([]);
      const settled = ring.settle(0);
      const turns = (async () => {
        for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
        return 'still waiting';
      })();
      expect(await Promise.race([settled, turns])).toBe('still waiting');
      finish();
      await settled;
      expect([ring.take(0), ring.take(1)]).toEqual([[line(20)], [line(10)]]);
    });
  });

  it('does not wait for later lines', async () => {
    await opened(async (ring, writer) => {
      writer.begin(1n, 1n)();
      const settled = ring.settle(0);
      await Promise.resolve();
      writer.begin(1n, 2n)();
      await settled;
      const lines = [...ring.take(0)];
      ring.drain();
      expect([...lines, ...ring.take(0)]).toEqual([line(1), line(2)]);
    });
  });

  it('reports that a kernel has overwritten it', async () => {
    await opened(async (ring, writer) => {
      writer.begin(77n, 0n)();
      await expect(ring.settle(0)).rejects.toMatchObject({
        code: 'NCCL_INTERNAL_ERROR',
        message: expect.stringContaining('a kernel has stored out of bounds'),
      });
    });
  });
});
