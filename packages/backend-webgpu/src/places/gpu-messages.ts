import type { DeviceLimits } from '../gpu/device-limits.ts';

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
  readonly makes?: number;
  /** The number of the awaited reply. */
  readonly asks?: number;
}

export interface ObjectReference {
  readonly gpuObject: number;
}

/** The numbers of objects that exist from the start. */
export const deviceObject = 0;
export const queueObject = 1;

/** A reply from a remote device. */
export type GpuNews =
  | { readonly kind: 'answer'; readonly to: number; readonly value: unknown }
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

/**
 * The kind of a call: it creates an object, has no reply, or has a reply, or it creates an object
 * and has a reply.
 */
type GpuMethodKind = 'makes' | 'does' | 'asks' | 'asks and makes';

export const gpuMethods: Readonly<Record<GpuMethod, GpuMethodKind>> = Object.freeze({
  createBuffer: 'makes',
  createBindGroup: 'makes',
  createBindGroupLayout: 'makes',
  createPipelineLayout: 'makes',
  createShaderModule: 'makes',
  createComputePipeline: 'makes',
  createComputePipelineAsync: 'asks and makes',
  createCommandEncoder: 'makes',
  createQuerySet: 'makes',
  pushErrorScope: 'does',
  popErrorScope: 'asks',
  getBindGroupLayout: 'makes',
  writeBuffer: 'does',
  submit: 'does',
  onSubmittedWorkDone: 'asks',
  beginComputePass: 'makes',
  copyBufferToBuffer: 'does',
  clearBuffer: 'does',
  resolveQuerySet: 'does',
  finish: 'makes',
  setPipeline: 'does',
  setBindGroup: 'does',
  dispatchWorkgroups: 'does',
  end: 'does',
  mapAsync: 'asks',
  unmap: 'does',
  destroy: 'does',
});

export function isGpuMethod(name: string): name is GpuMethod {
  return Object.hasOwn(gpuMethods, name);
}
