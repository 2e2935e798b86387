import { debugLog } from '@nccl-ts/core';
import { turnsOf } from '../engine/turns-of.ts';
import { WorkerPool } from './worker-pool.ts';

/** The threads of a world, and its share of the machine. */
export interface WorldThreads {
  readonly workers: number;
  readonly ranks: number;
  readonly residentCtas: number;
  readonly fuel: number;
}

/** Opens the threads that the options request. If there are none, returns the reason. */
export async function openThreads({
  workers,
  ranks,
  residentCtas,
  fuel,
}: WorldThreads): Promise<{ readonly pool: WorkerPool | undefined; readonly lack: string | undefined }> {
  if (workers === 1) return { pool: undefined, lack: undefined };
  const pool = await WorkerPool.open({ threads: workers, ranks, residentCtas, turns: turnsOf(fuel) });
  if (typeof pool !== 'string') return { pool, lack: undefined };
  debugLog('sim', () => `kernels run on one thread instead of ${workers}: ${pool}`);
  return { pool: undefined, lack: pool };
}
