import { fork, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { JobResponse, Job } from './job.ts';

/** A process that runs one job after the other. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  /** The program that it has opened. */
  current: string | undefined;

  /** Starts `entry`, which is this program, as a worker. */
  constructor(entry: URL) {
    this.#child = fork(fileURLToPath(entry), ['worker'], {
      execArgv: process.execArgv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /**
   * Returns the result of a job, or that it took longer than `seconds`. After a time-out, and after
   * `stop`, this process has ended.
   */
  async request(job: Job, seconds: number): Promise<JobResponse | 'late' | 'ended'> {
    return new Promise((resolve) => {
      const child = this.#child;
      const settle = (answer: JobResponse | 'late' | 'ended'): void => {
        clearTimeout(timer);
        child.off('exit', onExit);
        child.off('message', settle);
        resolve(answer);
      };
      const onExit = (): void => settle('ended');
      const timer = setTimeout(() => {
        this.stop();
        settle('late');
      }, seconds * 1000);
      if (child.exitCode !== null || child.signalCode !== null || !child.connected) {
        settle('ended');
        return;
      }
      child.once('exit', onExit);
      child.once('message', settle);
      child.send(job, (error) => {
        if (error !== null) settle('ended');
      });
    });
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
