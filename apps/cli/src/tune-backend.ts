import { cuda } from '@nccl-ts/backend-cuda';
import { sim } from '@nccl-ts/backend-sim';
import { webgpu } from '@nccl-ts/backend-webgpu';
import type { OpenOptions } from '@nccl-ts/communicator';
import { UsageError } from './usage-error.ts';

export const tuneBackendNames = ['sim', 'webgpu', 'cuda'] as const;
export type TuneBackendName = (typeof tuneBackendNames)[number];

export interface TuneBackendOptions {
  readonly backend: TuneBackendName;
  readonly ranks?: number;
  readonly lsaSize?: number;
}

const DEFAULT_RANKS = 4;

/** Where to open a world. @throws UsageError where the ranks cannot be divided like that. */
export function tuneBackend({ backend, ranks, lsaSize }: TuneBackendOptions): OpenOptions['backend'] {
  if (backend === 'cuda') {
    if (lsaSize !== undefined) {
      throw new UsageError('--lsa-size is for sim and webgpu; GPUs are as they are connected');
    }
    return cuda({ devices: ranks === undefined ? 'all' : Array.from({ length: ranks }, (_, ordinal) => ordinal) });
  }
  const n = ranks ?? DEFAULT_RANKS;
  const near = lsaSize ?? n;
  if (n % near !== 0) throw new UsageError(`--lsa-size ${near}: it must divide the number of ranks, ${n}`);
  const shape = { ranks: n, lsaSize: near };
  return backend === 'sim' ? sim(shape) : webgpu(shape);
}
