import { Worker } from 'node:worker_threads';
import { NcclError } from '@nccl-ts/core';
import type { CollectiveTiming } from './own-case.ts';
import { plainJsWorker } from './plain-js-worker.ts';

/** The duration of a round in milliseconds. */
const ROUND_MS = 20;
/** Padding, so that no two ranks' elements share a cache set. */
const PADDING_BYTES = 1280;
/** The most rounds in a call. */
const MAX_ROUNDS = 255;
const WORKERS = 2;
/** The time after which a worker counts as dead. */
const TIMEOUT_MS = 120_000;

const commands = { anotherMemory: 0, allReduce: 1, barrier: 2 } as const;

/** Two workers that run plain JavaScript over shared memory. */
export interface PlainJs {
  readonly allReduce: (of: CollectiveTiming) => Promise<readonly number[]>;
  readonly barrier: () => Promise<number>;
  readonly idle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the workers. They are parked while no call is running. */
export async function plainJs(): Promise<PlainJs> {
  const control = new Int32Array(new SharedArrayBuffer(512));
  const times = new Float64Array(new SharedArrayBuffer((MAX_ROUNDS + 1) * 8));
  const workers = Array.from(
    { length: WORKERS },
    (_, me) => new Worker(plainJsWorker, { eval: true, workerData: { me, control, times, limit: ROUND_MS } }),
  );
  let bytes = 0;
  let asked = 0;

  /** The main thread sleeps meanwhile, so that it does not disturb the workers. */
  const answers = (): void => {
    asked += WORKERS;
    for (let have = Atomics.load(control, 1); have !== asked; have = Atomics.load(control, 1))
      if (Atomics.wait(control, 1, have, TIMEOUT_MS) === 'timed-out')
        throw new NcclError('NCCL_TIMEOUT', `a worker of plain JavaScript did not answer in ${TIMEOUT_MS} ms`);
  };
  const command = (what: keyof typeof commands, words: readonly number[] = []): void => {
    control.set([commands[what], ...words], 2);
    Atomics.add(control, 0, 1);
    Atomics.notify(control, 0);
    answers();
  };
  /** Old memory is released before new memory is allocated. */
  const reserve = (need: number): void => {
    if (need <= bytes) return;
    if (bytes > 0) command('anotherMemory');
    const memory = new SharedArrayBuffer(need);
    // All pages are mapped before anything is timed.
    new Uint8Array(memory).fill(0);
    for (const worker of workers) worker.postMessage(memory, []);
    bytes = need;
    answers();
  };
  const timesOf = (rounds: number): readonly number[] => [...times.subarray(1, 1 + rounds)];

  return {
    async allReduce({ ranks, bytes: size, inPlace, rounds }) {
      if (rounds > MAX_ROUNDS || size % 1024 !== 0 || ranks % 2 !== 0)
        throw new NcclError(
          'NCCL_INVALID_ARGUMENT',
          `${rounds} rounds of ${size} bytes among ${ranks} ranks: at most ${MAX_ROUNDS}, KiB, an even number of ranks`,
        );
      reserve(ranks * (size + PADDING_BYTES) * (inPlace ? 1 : 2));
      command('allReduce', [ranks, size / 4, inPlace ? 1 : 0, rounds]);
      if (Atomics.load(control, 8) > 0)
        throw new NcclError(
          'NCCL_INTERNAL_ERROR',
          `plain JavaScript computed wrong sums: ${ranks} ranks, ${size} bytes`,
        );
      return timesOf(rounds);
    },
    async barrier() {
      reserve(PADDING_BYTES);
      command('barrier', [2, 0, 0, 1]);
      return (timesOf(1)[0] ?? Number.NaN) * 1000;
    },
    async idle() {},
    async close() {
      await Promise.all(workers.map(async (worker) => worker.terminate()));
    },
  };
}
