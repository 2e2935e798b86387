import type { DeviceLimits } from '@nccl-ts/backend-webgpu/devices';

/** Describes a device for another worker or process that uses it. */
export interface DeviceDescription {
  /** True if it is destroyed with the world. */
  readonly owned: boolean;
  readonly limits: DeviceLimits;
  readonly features: readonly string[];
  readonly info: Readonly<Record<'vendor' | 'architecture' | 'device' | 'description', string>> & {
    readonly isFallbackAdapter: boolean;
  };
}

/**
 * One call on a remote device. Objects are passed by number, in arguments as an `ObjectReference`.
 */
export interface GpuCall {
  readonly on: number;
  readonly name: GpuMethod | 'forget';
  readonly args: readonly unknown[];
  /** The number of the object that it creates. */
  readonly created?: number;
  /** The number of the awaited reply. */
  readonly reply?: number;
}

export interface ObjectReference {
  readonly gpuObject: number;
}

/** The numbers of objects that exist from the start. */
export const deviceObject = 0;
export const queueObject = 1;

/** A message from a remote device: a reply, or an event. */
export type GpuMessage =
  | { readonly kind: 'reply'; readonly to: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly to: number; readonly message: string }
  | { readonly kind: 'uncaptured'; readonly name: string; readonly message: string }
  | { readonly kind: 'lost'; readonly reason: string; readonly message: string };

/** The WebGPU methods that are called remotely: those that worlds use. */
export type GpuMethod =
  | 'createBuffer'
  | 'createBindGroup'
  | 'createBindGroupLayout'
  | 'createPipelineLayout'
  | 'createShaderModule'
  | 'createComputePipeline'
  | 'createComputePipelineAsync'
  | 'createCommandEncoder'
  | 'createQuerySet'
  | 'pushErrorScope'
  | 'popErrorScope'
  | 'getBindGroupLayout'
  | 'writeBuffer'
  | 'submit'
  | 'onSubmittedWorkDone'
  | 'beginComputePass'
  | 'copyBufferToBuffer'
  | 'clearBuffer'
  | 'resolveQuerySet'
  | 'finish'
  | 'setPipeline'
  | 'setBindGroup'
  | 'dispatchWorkgroups'
  | 'end'
  | 'mapAsync'
  | 'unmap'
  | 'destroy';

/** What a call returns: an object, nothing, or a promise of data or of an object. */
type GpuMethodKind = 'object' | 'nothing' | 'promise' | 'promise of object';

export const gpuMethods: Readonly<Record<GpuMethod, GpuMethodKind>> = Object.freeze({
  createBuffer: 'object',
  createBindGroup: 'object',
  createBindGroupLayout: 'object',
  createPipelineLayout: 'object',
  createShaderModule: 'object',
  createComputePipeline: 'object',
  createComputePipelineAsync: 'promise of object',
  createCommandEncoder: 'object',
  createQuerySet: 'object',
  pushErrorScope: 'nothing',
  popErrorScope: 'promise',
  getBindGroupLayout: 'object',
  writeBuffer: 'nothing',
  submit: 'nothing',
  onSubmittedWorkDone: 'promise',
  beginComputePass: 'object',
  copyBufferToBuffer: 'nothing',
  clearBuffer: 'nothing',
  resolveQuerySet: 'nothing',
  finish: 'object',
  setPipeline: 'nothing',
  setBindGroup: 'nothing',
  dispatchWorkgroups: 'nothing',
  end: 'nothing',
  mapAsync: 'promise',
  unmap: 'nothing',
  destroy: 'nothing',
});

export function isGpuMethod(name: string): name is GpuMethod {
  return Object.hasOwn(gpuMethods, name);
}
