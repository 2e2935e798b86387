import { fork, type ChildProcess } from 'node:child_process';
import type { SubjectOutcome } from './outcome.ts';

/** What a worker is asked for. */
export interface Job {
  readonly subject: string;
  readonly proofRuns: number;
}

/** What a worker answers. */
export interface Answer {
  readonly outcome: SubjectOutcome;
  readonly seconds: number;
}

/**
 * Runs each job in one of `workers` processes, and tells of each when it is over. The answers are in the order of the jobs.
 */
export async function runCampaign(
  jobs: readonly Job[],
  workers: number,
  onAnswer: (answer: Answer) => void,
): Promise<readonly SubjectOutcome[]> {
  const outcomes = new Map<string, SubjectOutcome>();
  const waiting = [...jobs];
  const work = async (): Promise<void> => {
    const worker = fork(new URL('worker.ts', import.meta.url), { execArgv: process.execArgv });
    try {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
        const answer = await ask(worker, job);
        outcomes.set(job.subject, answer.outcome);
        onAnswer(answer);
      }
    } finally {
      worker.kill();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, jobs.length) }, work));
  return jobs.flatMap(({ subject }) => outcomes.get(subject) ?? []);
}

async function ask(worker: ChildProcess, job: Job): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const over = (code: number | null): void => reject(new Error(`The worker for ${job.subject} ended with ${code}.`));
    worker.once('exit', over);
    worker.once('message', (answer: Answer) => {
      worker.off('exit', over);
      resolve(answer);
    });
    worker.send(job);
  });
}
