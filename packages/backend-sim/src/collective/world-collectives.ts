import type { ProgramCode } from '@nccl-ts/codegen';
import { createMacrotaskQueue } from '@nccl-ts/core';
import type { CollectiveEngine, CollectiveMemory, CollectiveWork, RankCollectives } from '@nccl-ts/transport';
import { SimWindow } from '../memory/sim-window.ts';
import type { SimWorldMemory } from '../memory/world-memory.ts';
import { collectiveCode } from './collective-program.ts';
import type { LoadCollectives } from './load-collectives.ts';

export interface WorldCollectivesInit {
  readonly memory: SimWorldMemory;
  /** The number of threads that do the work. */
  readonly threads: number;
  readonly load: LoadCollectives;
  /** Stops all kernels until the returned function is called. */
  readonly hold: () => () => void;
}

/** The collectives of a world that run without their kernels. */
export class WorldCollectives {
  readonly #init: WorldCollectivesInit;
  #engine: CollectiveEngine | undefined;
  #preparing: Promise<void> | undefined;
  /** True if the kernels do the work of all launches. */
  #isLeftToKernels = false;

  constructor(init: WorldCollectivesInit) {
    this.#init = init;
  }

  /**
   * Loads the engine before the first launch with work. Kernels do the work if it cannot be loaded.
   * Meanwhile no kernel continues, and host programs come to their next wait. So a world whose
   * engine was loaded before behaves the same, step by step.
   */
  async prepare(): Promise<void> {
    this.#preparing ??= this.#prepare();
    await this.#preparing;
  }

  /**
   * Returns the code that replaces the kernel of a launch; `undefined` if only the kernel can do
   * the work.
   */
  codeFor(rank: number, works: readonly CollectiveWork[] | undefined): ProgramCode | undefined {
    if (works === undefined) return undefined;
    // The other ranks must do the same.
    if (this.#engine === undefined) this.#isLeftToKernels = true;
    const launch = this.#engine?.launch({ rank, works });
    return launch === undefined ? undefined : collectiveCode(launch);
  }

  /** Returns the same for recorded launches, with one code for each rank. */
  record(collectives: readonly RankCollectives[]): (() => readonly ProgramCode[]) | undefined {
    const launches = this.#engine?.record(collectives);
    return launches && (() => launches().map(collectiveCode));
  }

  close(): void {
    this.#isLeftToKernels = true;
    this.#engine?.close();
  }

  async #prepare(): Promise<void> {
    const { memory, threads, load, hold } = this.#init;
    const release = hold();
    try {
      const open = await load();
      await macrotask();
      if (open !== undefined && !this.#isLeftToKernels) this.#engine = open(memoryOf(memory), threads);
    } finally {
      release();
    }
  }
}

/** Resolves after everything that does not wait for the event loop. */
async function macrotask(): Promise<void> {
  const queue = createMacrotaskQueue();
  await new Promise<void>((resolve) => queue.post(resolve));
  queue.close();
}

function memoryOf({ heap }: SimWorldMemory): CollectiveMemory {
  return {
    get memory() {
      return heap.linear.memory;
    },
    allocate: (bytes) => heap.allocate(bytes, 'the data of a collective'),
    locate: (window, rank) =>
      window instanceof SimWindow ? { group: window.group, address: window.addressAt(rank) } : undefined,
  };
}
