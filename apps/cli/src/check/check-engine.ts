import type { CheckOptions } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import type { CheckReport } from '@nccl-ts/findings';

/** The checker: the simulator's `check`, or a fake in tests. */
export type CheckEngine = (
  options: CheckOptions,
  program: (backend: SimBackend) => Promise<void>,
) => Promise<CheckReport>;
