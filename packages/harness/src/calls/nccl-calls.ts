import type { CallMap } from '@nccl-ts/ptx';
import { barrierCalls } from './barriers.ts';
import { ginTransfers } from './gin-transfers.ts';
import { ginWaits } from './gin-waits.ts';
import { pointerCalls } from './pointers.ts';

/** The functions of the stand-in `nccl_device.h`. */
export const ncclCalls: CallMap = new Map([...ginTransfers, ...ginWaits, ...barrierCalls, ...pointerCalls]);
