import type { FidelityRow } from '@nccl-ts/core';
import type { ModelledCalls } from './device-call.ts';
import { ncclCalls } from './nccl-calls.ts';
import { nvshmemCalls } from './nvshmem-calls.ts';

/** The functions of the stand-in headers, for `importKernel`. `translate` passes them there. */
export const deviceCalls: ModelledCalls = new Map([...ncclCalls, ...nvshmemCalls]);

/** How closely each call of the stand-in headers is modelled. */
export function callFidelities(): readonly FidelityRow[] {
  return [...deviceCalls].map(([construct, { fidelity }]) => ({ construct, fidelity }));
}
