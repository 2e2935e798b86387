import type * as Webgpu from 'webgpu';
import { restWhileWaiting } from '../../src/gpu/rest-while-waiting.ts';
import { useSoftwareVulkan } from './software-vulkan.ts';

// The library crashes if the result of `create` is collected, so these live as long as the process.
const instances = new Map<string, GPU>();

async function instance(...options: string[]): Promise<GPU> {
  const key = options.join();
  let gpu = instances.get(key);
  if (gpu === undefined) {
    useSoftwareVulkan();
    const { create, globals }: typeof Webgpu = await import('webgpu');
    Object.assign(globalThis, globals);
    gpu = create(options);
    instances.set(key, gpu);
  }
  return gpu;
}

/** A device that compiles shaders and runs nothing. A device always exists. */
export async function nullDevice(): Promise<GPUDevice> {
  const adapter = await (await instance('backend=null')).requestAdapter();
  if (adapter === null) throw new Error("WebGPU's null backend gives no adapter.");
  return adapter.requestDevice();
}

/** Printed when tests that need `softwareDevice` are skipped. */
export const noDeviceReason =
  'no WebGPU adapter: install SwiftShader (the package chromium of Debian has it) or set VK_ICD_FILENAMES';

/**
 * Returns a device that runs shaders, with the largest possible buffers; undefined if there is
 * none, which is an error in CI.
 */
export async function softwareDevice(): Promise<GPUDevice | undefined> {
  const adapter = await (await instance()).requestAdapter();
  if (adapter === null) {
    if (process.env['CI'] === 'true') throw new Error(noDeviceReason);
    return undefined;
  }
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
}

/** Returns the errors and warnings of a shader, one in each line; empty if there are none. */
export async function compileMessages(device: GPUDevice, code: string): Promise<string> {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  const error = await device.popErrorScope();
  const lines = code.split('\n');
  const texts = messages.map(
    ({ type, message, lineNum }) => `${type}: ${message} in: ${lines[lineNum - 1]?.trim() ?? ''}`,
  );
  return (texts.length === 0 && error !== null ? [error.message] : texts).join('\n');
}

/**
 * The bindings of a compute shader: binding `i` of group 0 is `inputs[i]`, the one after the last
 * the output.
 */
export interface ComputeRun {
  /** Its entry point is `main`. */
  readonly code: string;
  readonly inputs: readonly Uint32Array<ArrayBuffer>[];
  readonly outputWords: number;
  readonly workgroups: number;
}

/** Returns the words of the output, which starts as zeros. */
export async function runCompute(device: GPUDevice, run: ComputeRun): Promise<Uint32Array> {
  // The event loop would otherwise take a core from the driver, which computes on the CPU.
  const goOn = restWhileWaiting();
  try {
    return await computed(device, run);
  } finally {
    goOn();
  }
}

async function computed(device: GPUDevice, run: ComputeRun): Promise<Uint32Array> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: run.code });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
  const size = run.outputWords * 4;
  const output = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const inputs = run.inputs.map((words) => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: words.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  });
  const buffers = [...inputs, output];
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(run.workgroups);
  pass.end();
  encoder.copyBufferToBuffer(output, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const words = new Uint32Array(staging.getMappedRange()).slice();
  staging.unmap();
  for (const buffer of [...buffers, staging]) buffer.destroy();
  const error = await device.popErrorScope();
  if (error !== null) throw new Error(error.message);
  return words;
}
