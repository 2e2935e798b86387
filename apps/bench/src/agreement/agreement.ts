import { Worker } from 'node:worker_threads';
import type { BatchOutcome } from './case-worker.ts';

export interface Agreement {
  /** The number of finished batches, and of all batches. */
  readonly done: number;
  readonly batches: number;
  readonly cases: number;
  readonly problems: readonly string[];
}

export interface AgreementOptions {
  /**
   * The program that a thread runs: it must call {@link caseWorker} and accept this command line.
   */
  readonly entry: URL;
  readonly args: readonly string[];
  readonly batches: number;
  readonly threads: number;
  /** Runs one batch out of this many. */
  readonly step: number;
  /** True if no further batch should begin. */
  readonly over: () => boolean;
  readonly progress: (so: Agreement) => void;
}

/**
 * Distributes batches to threads. A thread gets the next batch when it has finished the last one.
 *
 * @throws the error of a thread. The others finish their current batch.
 */
export async function agreement(options: AgreementOptions): Promise<Agreement> {
  const { entry, args, batches, threads, step, over, progress } = options;
  const problems: string[] = [];
  let [next, done, cases] = [0, 0, 0];
  const so = (): Agreement => ({ done, batches: Math.ceil(batches / step), cases, problems });
  const lane = async (): Promise<void> => {
    const worker = new Worker(entry, { argv: [...args] });
    try {
      while (next < batches && !over()) {
        const answer = answerOf(worker);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        worker.postMessage(next);
        next += step;
        const outcome = await answer;
        done++;
        cases += outcome.cases;
        problems.push(...outcome.problems);
        progress(so());
      }
    } catch (error) {
      next = batches;
      throw error;
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, lane));
  return so();
}

async function answerOf(worker: Worker): Promise<BatchOutcome> {
  return new Promise((resolve, reject) => {
    worker.removeAllListeners();
    worker.once('message', (outcome: BatchOutcome) => resolve(outcome));
    worker.once('error', reject);
  });
}
