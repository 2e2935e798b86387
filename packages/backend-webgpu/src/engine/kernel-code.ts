import { debugLog, NcclError } from '@nccl-ts/core';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { SHADER_STAGE_COMPUTE } from '../gpu/gpu-flags.ts';
import type { WgslSource } from '../wgsl-source.ts';

/** A kernel's text, compiled for the device. */
export interface KernelCode {
  readonly source: WgslSource;
  readonly layout: GPUBindGroupLayout;
  readonly step: GPUComputePipeline;
  /** Absent where the kernel never waits. */
  readonly poll: GPUComputePipeline | undefined;
  /** Rounds that a launch takes, as far as is known: so many are submitted before anybody looks. */
  rounds: number;
}

/** Numbers of the bindings; the caller's buffers follow. */
export const bindings: Readonly<Record<'record' | 'state' | 'status' | 'heap' | 'resources' | 'segments', number>> =
  Object.freeze({ record: 0, state: 1, status: 2, heap: 3, resources: 4, segments: 5 });

/** @throws NcclError `NCCL_INTERNAL_ERROR` where the device refuses the text. */
export async function compileCode(device: AcquiredDevice, name: string, source: WgslSource, segments: number): Promise<KernelCode> {
  const started = performance.now();
  const { device: gpu } = device;
  const layout = bindGroupLayout(gpu, segments);
  const module = gpu.createShaderModule({ label: name, code: source.text });
  const pipelineLayout = gpu.createPipelineLayout({ bindGroupLayouts: [layout] });
  const make = async (entryPoint: string): Promise<GPUComputePipeline> =>
    gpu.createComputePipelineAsync({
      label: `${name} ${entryPoint}`,
      layout: pipelineLayout,
      compute: { module, entryPoint },
    });
  try {
    const [step, poll] = await device.unlessLost(
      `compile ${name}`,
      Promise.all([make('step'), source.waits.length > 0 ? make('poll') : undefined]),
    );
    debugLog('webgpu', () => `compiled ${name}: ${source.text.length} characters, ${performance.now() - started} ms`);
    return { source, layout, step, poll, rounds: source.rounds ?? 1 };
  } catch (cause) {
    device.check(`compile ${name}`);
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new NcclError(
      'NCCL_INTERNAL_ERROR',
      `The device refuses the WGSL made from kernel '${name}': a defect of @nccl-ts/backend-webgpu, or of the driver.\n${message}`,
      { cause },
    );
  }
}

function bindGroupLayout(gpu: GPUDevice, segments: number): GPUBindGroupLayout {
  const entry = (binding: number, type: GPUBufferBindingType): GPUBindGroupLayoutEntry => ({
    binding,
    visibility: SHADER_STAGE_COMPUTE,
    buffer: { type },
  });
  const written = [bindings.state, bindings.status, bindings.heap, bindings.resources];
  return gpu.createBindGroupLayout({
    entries: [
      entry(bindings.record, 'read-only-storage'),
      ...written.map((binding) => entry(binding, 'storage')),
      ...Array.from({ length: segments }, (_, i) => entry(bindings.segments + i, 'storage')),
    ],
  });
}
