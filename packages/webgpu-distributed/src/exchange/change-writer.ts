import { BufferUsage, type Replica } from '@nccl-ts/backend-webgpu/devices';
import { BLOCK_STRIDE, ENTRY_WORDS, type ChangeList } from './change-list.ts';
import { applyShader, WORKGROUP } from './exchange-shaders.ts';
import { ExchangePass } from './exchange-pass.ts';

/** Longer lists are split into parts. */
const PART_BYTES = 1 << 21;

/** Writes changes of other devices to the memory of one. */
export class ChangeWriter {
  readonly #replica: Replica;
  readonly #pass: ExchangePass;
  readonly #changes: GPUBuffer;
  readonly #extent: GPUBuffer;

  static async create(replica: Replica): Promise<ChangeWriter> {
    const { device } = replica;
    const types = ['storage', 'storage', 'storage', 'storage', 'read-only-storage', 'uniform'] as const;
    const pass = await ExchangePass.create(device, 'nccl-ts: changes by other devices', applyShader, types);
    const create = async (size: number, usage: number): Promise<GPUBuffer> => {
      const label = 'nccl-ts: changes by other devices';
      return device.createBuffer({ label, size, usage: usage | BufferUsage.COPY_DST }, 'the exchange between devices');
    };
    return new ChangeWriter(
      replica,
      pass,
      await create(PART_BYTES, BufferUsage.STORAGE),
      await create(16, BufferUsage.UNIFORM),
    );
  }

  private constructor(replica: Replica, pass: ExchangePass, changes: GPUBuffer, extent: GPUBuffer) {
    this.#replica = replica;
    this.#pass = pass;
    this.#changes = changes;
    this.#extent = extent;
  }

  /** Makes the changes visible to work that is submitted afterwards. */
  write({ entries, blocks }: ChangeList): void {
    if (entries.byteLength + blocks.byteLength <= PART_BYTES) {
      this.#submit(entries, blocks);
      return;
    }
    const none = new Uint32Array();
    for (const part of parts(entries, ENTRY_WORDS)) this.#submit(part, none);
    for (const part of parts(blocks, BLOCK_STRIDE)) this.#submit(none, part);
  }

  dispose(): void {
    this.#changes.destroy();
    this.#extent.destroy();
  }

  #submit(entries: Uint32Array<ArrayBuffer>, blocks: Uint32Array<ArrayBuffer>): void {
    const { device } = this.#replica.device;
    const counts = [entries.length / ENTRY_WORDS, blocks.length / BLOCK_STRIDE] as const;
    // The queue keeps the order, so one buffer serves all parts.
    device.queue.writeBuffer(this.#changes, 0, entries);
    device.queue.writeBuffer(this.#changes, entries.byteLength, blocks);
    device.queue.writeBuffer(this.#extent, 0, Uint32Array.from(counts));
    const encoder = device.createCommandEncoder();
    const workgroups = Math.ceil(counts[0] / WORKGROUP) + counts[1];
    this.#pass.encode(encoder, this.#replica, [this.#changes, this.#extent], workgroups);
    device.queue.submit([encoder.finish()]);
  }
}

/** Pieces of `words` that fit into a part, each of whole items of the given size. */
function* parts(words: Uint32Array<ArrayBuffer>, stride: number): Generator<Uint32Array<ArrayBuffer>> {
  const most = Math.floor(PART_BYTES / 4 / stride) * stride;
  for (let at = 0; at < words.length; at += most) yield words.subarray(at, at + most);
}
