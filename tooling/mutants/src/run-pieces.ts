import type { JobResponse, Job } from './job.ts';
import { WorkerProcess } from './worker-process.ts';

/**
 * Sends a job to a process. Returns `lost` if it had no result within `seconds`, and `undefined` if
 * the campaign is over.
 */
export type SendJob = (
  job: Job,
  seconds: number,
) => Promise<JobResponse | { readonly kind: 'lost'; readonly why: string } | undefined>;

export interface PiecesOptions {
  /** The running program. With `worker` as its argument it is a worker. */
  readonly entry: URL;
  /** The number of processes. */
  readonly workers: number;
  /** Ends the campaign. The running work is lost. */
  readonly signal: AbortSignal;
}

/** Runs all pieces, in order, on several processes. A lost process is replaced. */
export async function runPieces<T>(
  pieces: readonly T[],
  perform: (piece: T, ask: SendJob) => Promise<void>,
  { entry, workers, signal }: PiecesOptions,
): Promise<void> {
  const running = new Set<WorkerProcess>();
  const stop = (): void => {
    for (const one of running) one.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  const left = pieces.values();

  const lane = async (): Promise<void> => {
    let worker: WorkerProcess | undefined;
    const ask: SendJob = async (job, seconds) => {
      if (signal.aborted) return undefined;
      if (worker === undefined) {
        worker = new WorkerProcess(entry);
        running.add(worker);
      }
      const answer = await worker.request(job, seconds);
      if (signal.aborted) return undefined;
      if (typeof answer !== 'string') return answer;
      running.delete(worker);
      worker = undefined;
      return { kind: 'lost', why: answer === 'late' ? `it took longer than ${seconds} s` : 'its process ended' };
    };
    for (const piece of left) {
      if (signal.aborted) break;
      await perform(piece, ask);
    }
    worker?.stop();
  };
  await Promise.all(Array.from({ length: workers }, lane));
  signal.removeEventListener('abort', stop);
}
