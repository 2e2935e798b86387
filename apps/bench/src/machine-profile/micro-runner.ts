import type { Communicator, DevComm, Graph, LaunchOptions, Window, World } from '@nccl-ts/communicator';
import { medianOf } from '../median-of.ts';

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
    const body = words - HEAD_WORDS;
    const chain = new Uint32Array(words);
    for (let i = 0; i < body; i++) chain[HEAD_WORDS + i] = HEAD_WORDS + ((i + CHAIN_STEP) % body);
    const setups = await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', words);
      await win.write(chain);
      return { win, devComm: await comm.createDevComm({}) };
    });
    return new MicroRunner(world, words, setups, timing);
  }

  /** The nanoseconds of one launch, from graphs of `body` launches, by round. */
  async time(body: MicroBody, turns: number): Promise<readonly number[]> {
    const graph = await this.#capture(body, turns);
    try {
      await this.#launch(graph, 1);
      const rounds: number[] = [];
      for (let round = 0; round < this.#timing.rounds; round++)
        rounds.push(await this.#launch(graph, this.#timing.launches));
      return rounds;
    } finally {
      await graph.close();
    }
  }

  /** The nanoseconds that one more turn adds to a launch, by round. */
  async slope(body: MicroBody, turns: number): Promise<readonly number[]> {
    const short = await this.time(body, turns);
    const long = await this.time(body, 5 * turns);
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
