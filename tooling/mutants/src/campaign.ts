import type { CampaignPlan, CampaignTask } from './plan.ts';
import { WorkerProcess } from './worker-process.ts';

export interface CampaignOptions {
  /** The running program. With `worker` as its argument it is a worker. */
  readonly entry: URL;
  /** The number of processes. */
  readonly jobs: number;
  /** Ends the campaign. The running work is lost. */
  readonly signal: AbortSignal;
}

/** Runs all tasks of `plan`, or until the signal. */
export async function runCampaign(plan: CampaignPlan, { entry, jobs, signal }: CampaignOptions): Promise<void> {
  const processes = new Set<WorkerProcess>();
  const changes = new Changes();
  let working = 0;
  const stop = (): void => {
    for (const one of processes) one.stop();
    changes.notify();
  };
  signal.addEventListener('abort', stop, { once: true });

  const start = (): WorkerProcess => {
    const started = new WorkerProcess(entry);
    processes.add(started);
    return started;
  };

  const lane = async (): Promise<void> => {
    let worker: WorkerProcess | undefined;
    while (!signal.aborted) {
      const task = plan.next(worker?.current);
      if (task === undefined) {
        // The results of other workers may add tasks.
        if (working === 0) break;
        await changes.next();
        continue;
      }
      working++;
      task.plan.workers++;
      worker ??= start();
      const isUp = await perform(plan, task, worker, signal);
      if (!isUp) {
        processes.delete(worker);
        worker = undefined;
      }
      task.plan.workers--;
      working--;
      changes.notify();
    }
    worker?.stop();
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  signal.removeEventListener('abort', stop);
}

/** Runs a task, and returns true if its worker is alive. */
async function perform(
  plan: CampaignPlan,
  task: CampaignTask,
  worker: WorkerProcess,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, known } = task.plan;
  if (task.kind !== 'list' && worker.current !== name) {
    const kernels = known?.kernels.map(({ kernel }) => kernel) ?? [];
    const opened = await worker.request({ kind: 'open', subject: name, kernels }, plan.limits.subjectSeconds);
    if (signal.aborted) return false;
    if (typeof opened === 'string') {
      plan.lost(task, `its program ${opened === 'late' ? 'took too long' : 'ended its process'}`);
      return false;
    }
    worker.current = name;
    if (opened.kind === 'failed') {
      plan.lost(task, opened.why);
      return true;
    }
    if (opened.kind === 'opened') plan.relist(name, opened.listing);
  }
  const began = performance.now();
  const limit = plan.secondsFor(task);
  const answer = await worker.request(plan.jobOf(task), limit);
  if (signal.aborted) return false;
  if (typeof answer === 'string') {
    plan.lost(task, answer === 'late' ? `it took longer than ${limit} s` : 'its process ended');
    return false;
  }
  worker.current = name;
  plan.done(task, answer, Math.round((performance.now() - began) / 10) / 100);
  return true;
}

/** Wakes all callers that wait for a change. */
class Changes {
  #waiting: (() => void)[] = [];

  async next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
