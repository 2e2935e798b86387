import { SHADER_STAGE_COMPUTE, type AcquiredDevice, type Replica } from '@nccl-ts/backend-webgpu/devices';
import { ROW } from './exchange-shaders.ts';

/** A compute pass over a device's copies of memory, and over its own buffers. */
export class ExchangePass {
  readonly #gpu: GPUDevice;
  readonly #pipeline: GPUComputePipeline;
  readonly #layout: GPUBindGroupLayout;
  #bound: readonly GPUBuffer[] = [];
  #group: GPUBindGroup | undefined;

  /** @param types the types of the bindings, in order */
  static async create(
    device: AcquiredDevice,
    label: string,
    code: string,
    types: readonly GPUBufferBindingType[],
  ): Promise<ExchangePass> {
    const { device: gpu } = device;
    const layout = gpu.createBindGroupLayout({
      entries: types.map((type, binding) => ({ binding, visibility: SHADER_STAGE_COMPUTE, buffer: { type } })),
    });
    const pipeline = await device.unlessLost(
      label,
      gpu.createComputePipelineAsync({
        label,
        layout: gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module: gpu.createShaderModule({ label, code }), entryPoint: 'main' },
      }),
    );
    return new ExchangePass(gpu, pipeline, layout);
  }

  private constructor(gpu: GPUDevice, pipeline: GPUComputePipeline, layout: GPUBindGroupLayout) {
    this.#gpu = gpu;
    this.#pipeline = pipeline;
    this.#layout = layout;
  }

  /** A dispatch of `workgroups`, with the device's copies bound first and `more` after them. */
  encode(encoder: GPUCommandEncoder, replica: Replica, more: readonly GPUBuffer[], workgroups: number): void {
    const pass = encoder.beginComputePass();
    pass.setPipeline(this.#pipeline);
    pass.setBindGroup(0, this.#bind([...copiesOf(replica), ...more]));
    pass.dispatchWorkgroups(Math.min(workgroups, ROW), Math.ceil(workgroups / ROW));
    pass.end();
  }

  /** Buffers that grow are replaced, but a bind group refers to the old ones. */
  #bind(buffers: readonly GPUBuffer[]): GPUBindGroup {
    if (this.#group !== undefined && buffers.every((buffer, i) => buffer === this.#bound[i])) return this.#group;
    this.#bound = buffers;
    this.#group = this.#gpu.createBindGroup({
      layout: this.#layout,
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    return this.#group;
  }
}

function copiesOf({ heap, resources, agreed }: Replica): readonly GPUBuffer[] {
  if (agreed === undefined) throw new RangeError('A single device needs no exchange.');
  return [heap.buffer, resources.buffer, agreed.heap.buffer, agreed.resources.buffer];
}
