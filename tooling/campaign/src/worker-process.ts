import { fork, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { JobMessage, Job } from './job.ts';

/** A process that runs one job after the other. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  /** The last engine that began. */
  engine = 'nobody';

  /**
   * Starts `entry`, a module that is a worker if its first argument is `worker`, with options for
   * Node.
   */
  constructor(entry: URL, execArgv: readonly string[] = process.execArgv) {
    this.#child = fork(fileURLToPath(entry), ['worker'], {
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /**
   * Returns the result of a job, or that it took longer than `seconds`. After a time-out, and after
   * `stop`, this process has ended.
   */
  async request(
    job: Job,
    seconds: number,
  ): Promise<Exclude<JobMessage, { readonly kind: 'engine' }> | 'late' | 'ended'> {
    return new Promise((resolve) => {
      const child = this.#child;
      const settle = (answer: Exclude<JobMessage, { readonly kind: 'engine' }> | 'late' | 'ended'): void => {
        clearTimeout(timer);
        child.off('exit', onExit);
        child.off('message', onMessage);
        resolve(answer);
      };
      const onMessage = (answer: JobMessage): void => {
        if (answer.kind === 'engine') this.engine = answer.name;
        else settle(answer);
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
      child.on('message', onMessage);
      child.send(job, (error) => {
        if (error !== null) settle('ended');
      });
    });
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
