import { medianOf } from '@nccl-ts/core';
import type { Communicator, DevComm, Graph, LaunchOptions, Window, World } from '@nccl-ts/communicator';

/** A rank's buffer and handles in the micro-benchmarks. */
export interface MicroSetup {
  readonly win: Window<'u32'>;
  readonly devComm: DevComm;
}

/** Launches a benchmark's kernels on one rank, with this many turns. */
export type MicroBody = (comm: Communicator, setup: MicroSetup, turns: number) => Promise<void>;

/** The number of words at the start of a buffer that hold flags. */
export const HEAD_WORDS = 16384;

/** The distance of two links of a chain in words: a prime number of 128-byte lines. */
const CHAIN_STEP = 32 * 1009;

export interface MicroTiming {
  readonly rounds: number;
  /** The number of graph launches that are timed together. */
  readonly launches: number;
}

/** Times launches on all ranks of a world, in graphs. */
export class MicroRunner {
  readonly world: World;
  readonly words: number;
  readonly #setups: readonly MicroSetup[];
  readonly #timing: MicroTiming;

  private constructor(world: World, words: number, setups: readonly MicroSetup[], timing: MicroTiming) {
    this.world = world;
    this.words = words;
    this.#setups = setups;
    this.#timing = timing;
  }

  /** Allocates a buffer of `bytes` on every rank. Indices in it form a chain from line to line. */
  static async open(world: World, bytes: number, timing: MicroTiming): Promise<MicroRunner> {
    const words = bytes / 4;
    const setups = await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', words);
      return { win, devComm: await comm.createDevComm({}) };
    });
    const runner = new MicroRunner(world, words, setups, timing);
    await runner.link();
    return runner;
  }

  /** Writes the links of the chain anew. Benchmarks that store have written over them. */
  async link(): Promise<void> {
    const body = this.words - HEAD_WORDS;
    const chain = new Uint32Array(this.words);
    for (let i = 0; i < body; i++) chain[HEAD_WORDS + i] = HEAD_WORDS + ((i + CHAIN_STEP) % body);
    for (const { win } of this.#setups) await win.write(chain);
  }

  /**
   * Checks that a chain of `links` from the first line has come to its end, and not into a circle
   * of a few lines, which a cache holds.
   */
  async expectChain(links: number): Promise<void> {
    const came = new Uint32Array(1);
    await this.#setups[0]?.win.read(came, 4);
    const end = HEAD_WORDS + ((links * CHAIN_STEP) % (this.words - HEAD_WORDS));
    if (came[0] === end) return;
    throw new RangeError(`A chain of ${links} loads ended at word ${came[0]} instead of ${end}: its links are gone.`);
  }

  /** Nanoseconds of one launch of a graph, by round; `launches` of them are timed together. */
  async time(body: MicroBody, turns: number, launches: number = this.#timing.launches): Promise<readonly number[]> {
    const graph = await this.#capture(body, turns);
    try {
      await this.#launch(graph, 1);
      const rounds: number[] = [];
      for (let round = 0; round < this.#timing.rounds; round++) rounds.push(await this.#launch(graph, launches));
      return rounds;
    } finally {
      await graph.close();
    }
  }

  /** The nanoseconds that one more turn adds to a launch, by round. */
  async slope(body: MicroBody, turns: number, launches: number = this.#timing.launches): Promise<readonly number[]> {
    const short = await this.time(body, turns, launches);
    const long = await this.time(body, 5 * turns, launches);
    const base = medianOf(short);
    return long.map((time) => (time - base) / (4 * turns));
  }

  async #capture(body: MicroBody, turns: number): Promise<Graph> {
    return this.world.capture(async (comm) => {
      const setup = this.#setups[this.world.localRanks.indexOf(comm.rank)];
      if (setup !== undefined) await body(comm, setup, turns);
    });
  }

  async #launch(graph: Graph, launches: number): Promise<number> {
    const began = performance.now();
    for (let launch = 0; launch < launches; launch++) await graph.launch();
    await this.world.run(async (comm) => {
      await comm.synchronize();
    });
    return ((performance.now() - began) * 1e6) / launches;
  }
}

/** The shape of a launch. */
export function shape(grid: number, block: number): LaunchOptions {
  return { grid, block };
}
