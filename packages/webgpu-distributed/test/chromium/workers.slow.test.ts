import { acquireDevice } from '@nccl-ts/backend-webgpu/devices';
import { Communicator } from '@nccl-ts/communicator';
import { distributedWebgpu } from '@nccl-ts/webgpu-distributed';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { expectCode } from '../support/expect-code.ts';
import { answer } from '../support/kernels.ts';
import { sumOver, type WorkerMessage, type WorkerTask } from '../support/worker-rank.ts';

declare const Worker: new (
  url: URL,
  options: { readonly type: 'module' },
) => {
  onmessage: ((event: { readonly data: WorkerMessage }) => void) | null;
  onerror: ((event: { readonly message: string }) => void) | null;
  postMessage(task: WorkerTask): void;
  terminate(): void;
};

const started: InstanceType<typeof Worker>[] = [];
afterEach(() => {
  for (const worker of started.splice(0)) worker.terminate();
});

/** Starts a worker, and returns it with its first message. */
async function startWorker(task: WorkerTask): Promise<WorkerMessage> {
  const worker = new Worker(new URL('../support/worker-rank.ts', import.meta.url), { type: 'module' });
  started.push(worker);
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- workers have no other origin
    worker.postMessage(task);
  });
}

const problem = await acquireDevice({ device: undefined, adapter: undefined, powerPreference: undefined }).then(
  (device) => {
    device.dispose();
    return undefined;
  },
  (error: unknown) => {
    if (inject('ci')) throw error;
    return String(error);
  },
);

describe.skipIf(problem !== undefined)(
  `a page and its workers${problem === undefined ? '' : ` (skipped: ${problem})`}`,
  () => {
    it('sum, each with its own device', async () => {
      const [ranks, length] = [3, 1000];
      const backend = distributedWebgpu({ ranks });
      const uniqueId = await Communicator.getUniqueId(backend);
      const others = [1, 2].map(async (rank) => startWorker({ rank, ranks, uniqueId, task: 'sum', length }));
      const comm = await Communicator.init({ backend, rank: 0, nRanks: ranks, uniqueId });
      const sums = await sumOver(comm, length);
      expect(sums).toEqual(Array.from({ length }, (_, i) => 3 * i + 3));
      const closed = comm.close();
      for (const message of await Promise.all(others)) expect(message).toEqual({ kind: 'sums', sums });
      await closed;
    });

    it('report a worker that ends without a message', async () => {
      const ranks = 2;
      const backend = distributedWebgpu({ ranks });
      const uniqueId = await Communicator.getUniqueId(backend);
      const other = startWorker({ rank: 1, ranks, uniqueId, task: 'wait', length: 0 });
      const comm = await Communicator.init({ backend, rank: 0, nRanks: ranks, uniqueId });
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
      expect(await other).toEqual({ kind: 'waits' });
      for (const worker of started.splice(0)) worker.terminate();
      const error = await expectCode(comm.synchronize(), 'NCCLTS_WEBGPU_DEVICE_LOST');
      expect(error.message).toContain('the worker or tab of rank 1 is gone');
      await comm.close();
    });
  },
);
