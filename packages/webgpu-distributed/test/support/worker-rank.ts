/* oxlint-disable unicorn/require-post-message-target-origin -- a worker has one page */
import { Communicator } from '@nccl-ts/communicator';
import { distributedWebgpu } from '@nccl-ts/webgpu-distributed';
import { allReduce, answer } from './kernels.ts';

/** What a worker is to do. */
export interface WorkerTask {
  readonly rank: number;
  readonly ranks: number;
  readonly uniqueId: Uint8Array<ArrayBuffer>;
  /** Its task: it sums and ends, or waits until it is ended. */
  readonly task: 'sum' | 'wait';
  readonly length: number;
}

/** Its message: that it waits, the result, or the error. */
export type WorkerMessage =
  | { readonly kind: 'waits' }
  | { readonly kind: 'sums'; readonly sums: readonly number[] }
  | { readonly kind: 'failure'; readonly message: string };

interface WorkerScope {
  onmessage: (event: { readonly data: WorkerTask }) => void;
  postMessage(message: WorkerMessage): void;
}
declare const self: WorkerScope & { readonly document?: unknown };

/** The task of each rank: to sum. */
export async function sumOver(comm: Communicator, length: number): Promise<readonly number[]> {
  const win = await comm.allocWindow('f32', length);
  await win.write(Array.from({ length }, (_, i) => i + comm.rank));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(allReduce, { grid: 1, block: 64 }, { comm: dev, win, offset: 0, count: length });
  return [...(await win.read())];
}

/** The task of each rank: to wait for a word that is never written. */
export async function waitForNobody(comm: Communicator, waits: () => void): Promise<void> {
  const win = await comm.allocWindow('u32', 16);
  const dev = await comm.createDevComm();
  await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
  waits();
  // Not `synchronize`, because then each would wait for the other, which is a deadlock.
  await new Promise(() => undefined);
}

async function work({ rank, ranks, uniqueId, task, length }: WorkerTask): Promise<void> {
  try {
    const comm = await Communicator.init({ backend: distributedWebgpu({ ranks }), rank, nRanks: ranks, uniqueId });
    if (task === 'wait') await waitForNobody(comm, () => self.postMessage({ kind: 'waits' }));
    const sums = await sumOver(comm, length);
    await comm.close();
    self.postMessage({ kind: 'sums', sums });
  } catch (error) {
    self.postMessage({ kind: 'failure', message: String(error) });
  }
}

// The page takes functions from this file too.
if (typeof self === 'object' && self.document === undefined) {
  self.onmessage = ({ data }) => void work(data);
}
