import type { CallMap } from '@nccl-ts/ptx';
import { ncclCalls } from './nccl-calls.ts';
import { nvshmemCalls } from './nvshmem-calls.ts';

/** The functions of the stand-in headers, for `importKernel`. `translate` passes them there. */
export const deviceCalls: CallMap = new Map([...ncclCalls, ...nvshmemCalls]);
