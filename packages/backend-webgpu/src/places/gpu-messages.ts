import type { DeviceLimits } from '../gpu/device-limits.ts';

/** What a place tells of its device, so that another place can use it. */
export interface DeviceDescription {
  /** True if it goes away with the world. */
  readonly owned: boolean;
  readonly limits: DeviceLimits;
  readonly features: readonly string[];
  readonly info: Readonly<Record<'vendor' | 'architecture' | 'device' | 'description', string>> & {
    readonly isFallbackAdapter: boolean;
  };
}

/**
 * One call on a device that lies elsewhere. Objects go by number; in arguments as an
 * `ObjectReference`.
 */
export interface GpuCall {
  readonly on: number;
  readonly name: GpuMethod | 'forget';
  readonly args: readonly unknown[];
  /** The number that what it makes has from then on. */
  readonly makes?: number;
  /** The number of the answer that is waited for. */
  readonly asks?: number;
}

export interface ObjectReference {
  readonly gpuObject: number;
}

/** The numbers of what is there from the beginning. */
export const deviceObject = 0;
export const queueObject = 1;

/** What comes back from a device that lies elsewhere. */
export type GpuNews =
  | { readonly kind: 'answer'; readonly to: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly to: number; readonly message: string }
  | { readonly kind: 'uncaptured'; readonly name: string; readonly message: string }
  | { readonly kind: 'lost'; readonly reason: string; readonly message: string };

/** The methods of WebGPU that go from place to place: those that worlds use. */
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
 * What becomes of a call: it makes an object, is done without an answer, or is answered; or both.
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
