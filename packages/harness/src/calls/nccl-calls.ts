import type { ModelledCalls } from './device-call.ts';
import { barrierCalls } from './barriers.ts';
import { ginTransfers } from './gin-transfers.ts';
import { ginWaits } from './gin-waits.ts';
import { pointerCalls } from './pointers.ts';
import { timedWaits } from './timed-waits.ts';

/** The functions of the stand-in `nccl_device.h`. */
export const ncclCalls: ModelledCalls = new Map([
  ...ginTransfers,
  ...ginWaits,
  ...timedWaits,
  ...barrierCalls,
  ...pointerCalls,
]);
