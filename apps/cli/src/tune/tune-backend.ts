import type { OpenOptions } from '@nccl-ts/communicator';
import type { BackendName } from '../backend-names.ts';
import { UsageError } from '../usage-error.ts';

export interface TuneBackendOptions {
  readonly backend: BackendName;
  readonly ranks?: number;
  readonly lsaSize?: number;
}

const DEFAULT_RANKS = 4;

/**
 * Loads and creates the backend.
 *
 * @throws UsageError if the ranks cannot be divided into such domains
 */
export async function tuneBackend({ backend, ranks, lsaSize }: TuneBackendOptions): Promise<OpenOptions['backend']> {
  if (backend === 'cuda') {
    if (lsaSize !== undefined) {
      throw new UsageError('--lsa-size is for sim and webgpu; GPUs are as they are connected');
    }
    const { cuda } = await import('@nccl-ts/backend-cuda');
    return cuda(ranks === undefined ? {} : { ranks });
  }
  const n = ranks ?? DEFAULT_RANKS;
  const near = lsaSize ?? n;
  if (n % near !== 0) throw new UsageError(`--lsa-size ${near}: it must divide the number of ranks, ${n}`);
  const shape = { ranks: n, lsaSize: near };
  if (backend === 'sim') return (await import('@nccl-ts/backend-sim')).sim(shape);
  return (await import('@nccl-ts/backend-webgpu')).webgpu(shape);
}
