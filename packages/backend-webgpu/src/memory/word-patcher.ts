import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { BufferUsage } from '../gpu/gpu-flags.ts';

/**
 * It need not be atomic. WebGPU runs dispatches that write the same buffer one after another, so no
 * kernel runs concurrently.
 */
const shader = /* wgsl */ `
struct Patch { word: u32, keep: u32, bits: u32, pad: u32 }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> patches: array<Patch, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) index: u32) {
  let change = patches[index];
  if (change.keep != 0xffffffffu) {
    words[change.word] = (words[change.word] & change.keep) | change.bits;
  }
}
`;

const WORDS_OF_PATCHES = 8;

/**
 * Writes the bytes at either end of a range that do not fill a word, because WebGPU copies whole
 * words.
 */
export class WordPatcher {
  readonly #device: AcquiredDevice;
  #kit: { readonly pipeline: GPUComputePipeline; readonly patches: GPUBuffer } | undefined;
  #bindGroups = new WeakMap<GPUBuffer, GPUBindGroup>();

  constructor(device: AcquiredDevice) {
    this.#device = device;
  }

  /**
   * Writes up to 3 bytes at each of two byte offsets of the buffer. The bytes of one offset are in
   * one word, and their neighbours keep their values.
   */
  patch(buffer: GPUBuffer, headAt: number, head: Uint8Array, tailAt: number, tail: Uint8Array): void {
    if (head.length + tail.length === 0) return;
    const { device } = this.#device;
    const { pipeline, patches } = (this.#kit ??= this.#create());
    const words = new Uint32Array(WORDS_OF_PATCHES);
    describe(words.subarray(0, 4), headAt, head);
    describe(words.subarray(4, 8), tailAt, tail);
    // The queue keeps the order, so one buffer of patches serves all calls.
    device.queue.writeBuffer(patches, 0, words);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.#bindGroup(pipeline, buffer, patches));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  dispose(): void {
    this.#kit?.patches.destroy();
    this.#kit = undefined;
    this.#bindGroups = new WeakMap();
  }

  #create(): { readonly pipeline: GPUComputePipeline; readonly patches: GPUBuffer } {
    const { device } = this.#device;
    const module = device.createShaderModule({ label: 'nccl-ts: bytes of a word', code: shader });
    return {
      pipeline: device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main' } }),
      patches: device.createBuffer({
        label: 'nccl-ts: bytes of a word',
        size: WORDS_OF_PATCHES * 4,
        usage: BufferUsage.UNIFORM | BufferUsage.COPY_DST,
      }),
    };
  }

  #bindGroup(pipeline: GPUComputePipeline, buffer: GPUBuffer, patches: GPUBuffer): GPUBindGroup {
    const known = this.#bindGroups.get(buffer);
    if (known !== undefined) return known;
    const made = this.#device.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: { buffer } },
        { binding: 1, resource: { buffer: patches } },
      ],
    });
    this.#bindGroups.set(buffer, made);
    return made;
  }
}

/**
 * Writes the word's index, the mask of the bits that stay, and the new bits. Without a change all
 * bits stay.
 */
function describe(into: Uint32Array, at: number, bytes: Uint8Array): void {
  const first = at % 4;
  const keep = new Uint8Array(4).fill(0xff);
  const bits = new Uint8Array(4);
  keep.fill(0, first, first + bytes.length);
  bits.set(bytes, first);
  into[0] = Math.floor(at / 4);
  into[1] = littleEndian(keep);
  into[2] = littleEndian(bits);
}

function littleEndian(bytes: Uint8Array): number {
  return new DataView(bytes.buffer).getUint32(0, true);
}
