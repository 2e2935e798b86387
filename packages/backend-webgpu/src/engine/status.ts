import { launchStatus, launchStatusWords, statusWords, worldStatus } from '../emit-wgsl/status-layout.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';
import { StagingPool } from '../memory/staging-pool.ts';
import type { Group } from './group.ts';

/** What the device has told of all launches, at one time. */
export class StatusView {
  readonly #words: Uint32Array;

  constructor(words: Uint32Array) {
    this.#words = words;
  }

  of(slot: number, word: keyof typeof launchStatus): number {
    return this.#words[worldStatus.launches + slot * launchStatusWords + launchStatus[word]] ?? 0;
  }

  /** Words that printed lines have asked for. */
  get printed(): number {
    return this.#words[worldStatus.printed] ?? 0;
  }
}

/** The buffer in which launches tell how far they are. */
export class StatusBuffer {
  readonly buffer: GPUBuffer;
  readonly #device: AcquiredDevice;
  readonly #staging: StagingPool;

  static async create(device: AcquiredDevice): Promise<StatusBuffer> {
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const buffer = await device.createBuffer({ label: 'nccl-ts: status', size: statusWords * 4, usage }, 'the status');
    return new StatusBuffer(device, buffer);
  }

  private constructor(device: AcquiredDevice, buffer: GPUBuffer) {
    this.buffer = buffer;
    this.#device = device;
    this.#staging = new StagingPool(device);
  }

  /** Submits what `encode` adds and reads the status of the first `slots` launches after it. */
  async submit(slots: number, encode: (encoder: GPUCommandEncoder) => void): Promise<StatusView> {
    const bytes = (worldStatus.launches + slots * launchStatusWords) * 4;
    const words = await this.#read(0, bytes, encode);
    return new StatusView(words);
  }

  /** The words from `first` on, as they are when all that was submitted has run. */
  async words(first: number, count: number): Promise<Uint32Array> {
    return this.#read(first * 4, count * 4, () => undefined);
  }

  async #read(offset: number, bytes: number, encode: (encoder: GPUCommandEncoder) => void): Promise<Uint32Array> {
    const { device } = this.#device;
    return this.#staging.use(bytes, async (staging) => {
      const encoder = device.createCommandEncoder();
      encode(encoder);
      encoder.copyBufferToBuffer(this.buffer, offset, staging, 0, bytes);
      device.queue.submit([encoder.finish()]);
      await this.#device.unlessLost('run kernels', staging.mapAsync(1, 0, bytes));
      const words = new Uint32Array(staging.getMappedRange(0, bytes)).slice();
      staging.unmap();
      return words;
    });
  }

  /** Sets words; what is submitted afterwards sees them. */
  write(first: number, words: readonly number[]): void {
    this.#device.device.queue.writeBuffer(this.buffer, first * 4, Uint32Array.from(words));
  }

  /** Sees to it that no CTA of a launch begins another turn. */
  halt(slot: number): void {
    this.write(worldStatus.launches + slot * launchStatusWords + launchStatus.fault, [1]);
  }

  dispose(): void {
    this.#staging.dispose();
    this.buffer.destroy();
  }
}

/** The rounds of a batch: every CTA's turn, then a look whether it may go on. */
export function encodeRounds(
  encoder: GPUCommandEncoder,
  groups: readonly Group[],
  rounds: number,
  encode: (pass: GPUComputePassEncoder, group: Group, pipeline: GPUComputePipeline) => void,
): void {
  const pass = encoder.beginComputePass();
  const again = groups.filter(({ code }) => !code.source.once);
  for (const group of groups) if (group.code.source.once && !group.begun) encode(pass, group, group.code.step);
  for (const group of groups) group.begun = true;
  for (let round = 0; round < rounds; round++) {
    for (const group of again) encode(pass, group, group.code.step);
    for (const group of again) if (group.code.poll !== undefined) encode(pass, group, group.code.poll);
  }
  for (const group of again) encode(pass, group, group.code.step);
  pass.end();
}
