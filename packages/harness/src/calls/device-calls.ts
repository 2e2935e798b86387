import type { CallMap } from '@nccl-ts/ptx';
import { ncclCalls } from './nccl-calls.ts';
import { nvshmemCalls } from './nvshmem-calls.ts';

/**
 * What the functions of the stand-in headers do, for `importKernel`; `translate` gives it to it.
 */
export const deviceCalls: CallMap = new Map([...ncclCalls, ...nvshmemCalls]);
