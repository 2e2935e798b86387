import { launchStatus, launchStatusWords, statusWords, worldStatus } from '../emit-wgsl/status-layout.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage, MapMode } from '../gpu/gpu-flags.ts';
import { StagingPool } from '../memory/staging-pool.ts';
import { PassTimer } from './pass-timer.ts';
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
  readonly #timer: PassTimer | undefined;

  static async create(device: AcquiredDevice): Promise<StatusBuffer> {
    const usage = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
    const buffer = await device.createBuffer({ label: 'nccl-ts: status', size: statusWords * 4, usage }, 'the status');
    return new StatusBuffer(device, buffer);
  }

  private constructor(device: AcquiredDevice, buffer: GPUBuffer) {
    this.buffer = buffer;
    this.#device = device;
    this.#staging = new StagingPool(device);
    this.#timer = PassTimer.create(device);
  }

  /** Nanoseconds that kernels have had the GPU so far; `undefined` where the device cannot tell. */
  get nanoseconds(): bigint | undefined {
    return this.#timer?.nanoseconds;
  }

  /** Submits what `encode` adds and reads the status of the first `slots` launches after it. */
  async submit(
    slots: number,
    encode: (encoder: GPUCommandEncoder, timing: GPUComputePassTimestampWrites | undefined) => void,
  ): Promise<StatusView> {
    const bytes = (worldStatus.launches + slots * launchStatusWords) * 4;
    const words = await this.#read(0, bytes, encode, this.#timer);
    return new StatusView(words);
  }

  /** The words from `first` on, as they are when all that was submitted has run. */
  async words(first: number, count: number): Promise<Uint32Array> {
    return this.#read(first * 4, count * 4, () => undefined);
  }

  async #read(
    offset: number,
    bytes: number,
    encode: (encoder: GPUCommandEncoder, timing: GPUComputePassTimestampWrites | undefined) => void,
    timer?: PassTimer,
  ): Promise<Uint32Array> {
    const { device } = this.#device;
    const all = bytes + (timer === undefined ? 0 : timer.bytes);
    return this.#staging.use(all, async (staging) => {
      const encoder = device.createCommandEncoder();
      encode(encoder, timer?.writes);
      encoder.copyBufferToBuffer(this.buffer, offset, staging, 0, bytes);
      timer?.copyTo(encoder, staging, bytes);
      device.queue.submit([encoder.finish()]);
      await this.#device.unlessLost('run kernels', staging.mapAsync(MapMode.READ, 0, all));
      const words = new Uint32Array(staging.getMappedRange(0, all).slice(0));
      staging.unmap();
      timer?.take(words.subarray(bytes / 4));
      return words.subarray(0, bytes / 4);
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
    this.#timer?.dispose();
    this.buffer.destroy();
  }
}

/** The rounds of a batch: every CTA's turn, then a look whether it may go on. */
export function encodeRounds(
  encoder: GPUCommandEncoder,
  timing: GPUComputePassTimestampWrites | undefined,
  groups: readonly Group[],
  rounds: number,
  encode: (pass: GPUComputePassEncoder, group: Group, pipeline: GPUComputePipeline) => void,
): void {
  const pass = encoder.beginComputePass(timing === undefined ? {} : { timestampWrites: timing });
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
