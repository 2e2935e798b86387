import type { GpuStore } from './address-map.ts';

/** A caller's GPUBuffer, under addresses of its own: kernels need a binding for each. */
export interface Segment extends GpuStore {
  readonly base: number;
  readonly bytes: number;
  readonly buffer: GPUBuffer;
}
