import type { WgslSource } from '../wgsl-source.ts';
import { SHADER_STAGE_COMPUTE } from '../gpu/gpu-flags.ts';

/** A device's compiled form of a kernel's text. All worlds on the device share it. */
export interface Pipelines {
  readonly layout: GPUBindGroupLayout;
  readonly step: GPUComputePipeline;
  /** Absent if the kernel never waits. */
  readonly poll: GPUComputePipeline | undefined;
}

/** The numbers of the bindings. The caller's buffers follow. */
export const bindings: Readonly<Record<'record' | 'state' | 'status' | 'heap' | 'resources' | 'segments', number>> =
  Object.freeze({ record: 0, state: 1, status: 2, heap: 3, resources: 4, segments: 5 });

/**
 * The largest number of texts that a device keeps compiled, because a caller's device may outlive
 * any number of worlds.
 */
const MOST = 512;

/** By device and text, the last used one at the end. */
const known = new WeakMap<GPUDevice, Map<string, Promise<Pipelines>>>();

/** Compiles a text unless the device has it. Rejects like WebGPU if the text is invalid. */
export async function pipelinesOf(
  gpu: GPUDevice,
  name: string,
  source: WgslSource,
  segments: number,
): Promise<Pipelines> {
  const { text } = source;
  const ofDevice = known.get(gpu) ?? new Map<string, Promise<Pipelines>>();
  known.set(gpu, ofDevice);
  const made = ofDevice.get(text) ?? make(gpu, name, source, segments);
  ofDevice.delete(text);
  ofDevice.set(text, made);
  for (const oldest of ofDevice.keys()) {
    if (ofDevice.size <= MOST) break;
    ofDevice.delete(oldest);
  }
  try {
    return await made;
  } catch (error) {
    if (ofDevice.get(text) === made) ofDevice.delete(text);
    throw error;
  }
}

async function make(gpu: GPUDevice, name: string, source: WgslSource, segments: number): Promise<Pipelines> {
  const layout = bindGroupLayout(gpu, segments);
  const module = gpu.createShaderModule({ label: name, code: source.text });
  const pipelineLayout = gpu.createPipelineLayout({ bindGroupLayouts: [layout] });
  const pipeline = async (entryPoint: string): Promise<GPUComputePipeline> =>
    gpu.createComputePipelineAsync({
      label: `${name} ${entryPoint}`,
      layout: pipelineLayout,
      compute: { module, entryPoint },
    });
  const [step, poll] = await Promise.all([pipeline('step'), source.waits.length > 0 ? pipeline('poll') : undefined]);
  return { layout, step, poll };
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
