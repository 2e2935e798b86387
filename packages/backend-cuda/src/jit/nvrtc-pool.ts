import { availableParallelism } from 'node:os';
import { NcclError } from '@nccl-ts/core';
import type { NvrtcInstallation } from '../discovery/find-nvrtc.ts';
import { cudaVersionText } from '../discovery/find-toolkit.ts';
import { NvrtcProcess, type NvrtcOutcome, type NvrtcProgram } from './nvrtc-process.ts';

/** The largest number of processes. Each takes some 300 MB while it compiles. */
const mostProcesses = 8;
const idleMilliseconds = 10_000;

/**
 * The processes that compile with one NVRTC. They start when they are needed, and end when they are
 * idle.
 */
export class NvrtcPool {
  readonly #installation: NvrtcInstallation;
  readonly #limit = Math.min(availableParallelism(), mostProcesses);
  readonly #idle: NvrtcProcess[] = [];
  readonly #waiting: (() => void)[] = [];
  #count = 0;
  #reaper: ReturnType<typeof setTimeout> | undefined;

  constructor(installation: NvrtcInstallation) {
    this.#installation = installation;
  }

  /**
   * Compiles a program. Several may be compiled at the same time.
   *
   * @param version - the required version of NVRTC, in the form of `CUDA_VERSION`
   * @throws NcclError `NCCLTS_CUDA_NO_TOOLKIT` if NVRTC cannot be loaded, or has another version.
   *   Rejects with another error if NVRTC crashes on the program.
   */
  async compile(program: NvrtcProgram, version: number): Promise<NvrtcOutcome> {
    const process = await this.#take(version);
    try {
      return await process.compile(program);
    } finally {
      this.#giveBack(process);
    }
  }

  /** Makes sure that NVRTC works. @throws NcclError like `compile` */
  async check(version: number): Promise<void> {
    this.#giveBack(await this.#take(version));
  }

  async #take(version: number): Promise<NvrtcProcess> {
    while (this.#idle.length === 0 && this.#count >= this.#limit) {
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
    const process = this.#alive() ?? (await this.#start());
    if (process.version === version) return process;
    this.#giveBack(process);
    throw new NcclError(
      'NCCLTS_CUDA_NO_TOOLKIT',
      `${this.#installation.library} is NVRTC ${cudaVersionText(process.version)}, and the toolkit's headers are of CUDA ` +
        `${cudaVersionText(version)}.`,
      { details: { library: this.#installation.library, version: process.version, toolkit: version } },
    );
  }

  #alive(): NvrtcProcess | undefined {
    for (let process = this.#idle.pop(); process !== undefined; process = this.#idle.pop()) {
      if (process.isAlive) return process;
      this.#count--;
    }
    return undefined;
  }

  async #start(): Promise<NvrtcProcess> {
    const { library } = this.#installation;
    this.#count++;
    try {
      return await NvrtcProcess.start(this.#installation);
    } catch (error) {
      this.#count--;
      this.#waiting.shift()?.();
      const problem = error instanceof Error ? error.message : String(error);
      throw new NcclError('NCCLTS_CUDA_NO_TOOLKIT', `${library} cannot be used: ${problem}`, {
        cause: error,
        details: { library },
      });
    }
  }

  #giveBack(process: NvrtcProcess): void {
    if (process.isAlive) this.#idle.push(process);
    else this.#count--;
    this.#waiting.shift()?.();
    clearTimeout(this.#reaper);
    this.#reaper = setTimeout(() => this.#endIdle(), idleMilliseconds);
    this.#reaper.unref();
  }

  #endIdle(): void {
    for (const process of this.#idle.splice(0)) {
      this.#count--;
      process.end();
    }
  }
}

const pools = new Map<string, NvrtcPool>();

/** Returns the pool of an NVRTC. Each installation has one. */
export function nvrtcPool(installation: NvrtcInstallation): NvrtcPool {
  let pool = pools.get(installation.library);
  if (pool === undefined) {
    pool = new NvrtcPool(installation);
    pools.set(installation.library, pool);
  }
  return pool;
}
