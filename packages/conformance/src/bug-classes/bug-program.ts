import type { Communicator, DevComm, LaunchOptions, Stream, Window, World } from '@nccl-ts/communicator';
import { devComm, window, type DevCommRequirements } from '@nccl-ts/devcomm';
import type { HostOf, Kernel } from '@nccl-ts/kernel';
import { expectValues } from '../mismatch.ts';
import { count } from '../cases/fixture/numbers.ts';
import type { BugProgram, ExpectedFinding } from './bug-class.ts';

/**
 * The parameters of the kernels: a communicator, the rank's own words, words that other ranks
 * write, and words for results.
 */
export const params: {
  readonly comm: typeof devComm;
  readonly data: typeof window;
  readonly inbox: typeof window;
  readonly out: typeof window;
} = { comm: devComm, data: window, inbox: window, out: window };

/** A kernel of such a program. */
export type BugKernel = Kernel<{ readonly [Name in keyof typeof params]: HostOf<(typeof params)[Name]> }>;

/**
 * The objects of a rank's host program at the launch. Windows hold `u32`, and `inbox` and `out`
 * hold zeros.
 */
export interface BugProgramObjects {
  readonly comm: DevComm;
  /** Word i holds `dataWord(rank, i)`. */
  readonly data: Window<'u32'>;
  readonly inbox: Window<'u32'>;
  readonly out: Window<'u32'>;
}

export interface BugLaunch {
  readonly kernel: BugKernel;
  /** @default 1 */
  readonly grid?: number | ((rank: number) => number);
  /** @default 1 */
  readonly block?: number;
  readonly attributes?: NonNullable<LaunchOptions['attributes']>;
  /**
   * The name of the stream. Launches with one name run in order on a separate stream.
   *
   * @default the default stream
   */
  readonly stream?: string;
}

export interface BugProgramDefinition {
  readonly name: string;
  /** @default 2 */
  readonly ranks?: number;
  /** @default all ranks */
  readonly lsaSize?: number;
  readonly residentCtas?: number;
  /** The requirements of the device communicator. */
  readonly requirements?: DevCommRequirements;
  /** True if the windows are strictly ordered, which VA signals need. */
  readonly strictOrdering?: true;
  /** True if the inbox has counted endpoints. */
  readonly cftCounted?: true;
  /** The number of words of each window. @default 8 */
  readonly words?: number;
  /** The launches of each rank, in sequence. */
  readonly launches: readonly BugLaunch[];
  /** The host's steps after the launches, if any. */
  readonly then?: (comm: Communicator, prepared: BugProgramObjects) => Promise<void>;
  /** The expected first words of `out` on a rank. They are checked if the program is right. */
  readonly result?: (rank: number) => readonly number[];
  readonly expects: 'clean' | ExpectedFinding;
}

/** The default number of words of each window. */
const WORDS = 8;

/** The word that the hosts write to `data` before all launches. */
export function dataWord(rank: number, i: number): number {
  return 100 * (rank + 1) + i;
}

/** Makes a program of kernels that take `params`. */
export function bugProgram(definition: BugProgramDefinition): BugProgram {
  const {
    name,
    ranks = 2,
    lsaSize = ranks,
    residentCtas,
    requirements: asks = {},
    strictOrdering,
    cftCounted,
    words = WORDS,
    expects,
  } = definition;
  const { launches, then, result } = definition;
  const flags = strictOrdering === true ? 3 : 1;
  const { ginConnectionType: connection } = asks;
  const gin = connection === 'customStride' || connection === 'customArray' ? 'full' : connection;
  return Object.freeze({
    name,
    ranks,
    lsaSize,
    ...(residentCtas === undefined ? {} : { residentCtas }),
    ...(gin === undefined ? {} : { gin }),
    multimem: asks.lsaMultimem === true,
    expects,
    run: async (world: World) => {
      await world.run(async (comm) => {
        const { rank } = comm;
        const data = await comm.allocWindow('u32', words, { flags });
        const inbox = await comm.allocWindow('u32', words, { flags: cftCounted === true ? 9 : flags });
        const out = await comm.allocWindow('u32', words, { flags });
        await data.write(count(words).map((i) => dataWord(rank, i)));
        for (const win of [inbox, out]) await win.write(count(words).map(() => 0));
        // All ranks synchronize here, so the hosts have written their data before any kernel runs.
        const dev = await comm.createDevComm(asks);
        const prepared = { comm: dev, data, inbox, out };
        const streams = new Map<string, Stream>();
        for (const { stream } of launches) {
          if (stream !== undefined && !streams.has(stream)) streams.set(stream, await comm.createStream());
        }
        for (const { kernel, grid = 1, block = 1, attributes, stream: name } of launches) {
          const stream = name === undefined ? undefined : streams.get(name);
          const options = {
            grid: typeof grid === 'number' ? grid : grid(rank),
            block,
            ...(attributes === undefined ? {} : { attributes }),
            ...(stream === undefined ? {} : { stream }),
          };
          await comm.launch(kernel, options, prepared);
        }
        await then?.(comm, prepared);
        for (const stream of streams.values()) await comm.synchronize(stream);
        await comm.synchronize();
        if (expects !== 'clean' || result === undefined) return;
        const expected = result(rank);
        expectValues(`${name}: out of rank ${rank}`, (await out.read()).subarray(0, expected.length), expected);
      });
    },
  });
}
