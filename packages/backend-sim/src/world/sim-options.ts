import { expectInteger, NcclError, reading, showValue, takeOptions } from '@nccl-ts/core';
import {
  ginBarrierForms,
  ginReaches,
  isGinReach,
  type CftCaps,
  type GinBarrierForm,
  type GinReach,
} from '@nccl-ts/devcomm';
import { createTopology } from '@nccl-ts/topology';
import { MAX_HEAP_BYTES } from '../memory/heap.ts';
import type { SimTurn } from '../check/write-log.ts';
import { isDebugged } from '../base/is-debugged.ts';
import type { DeliveryTiming } from '../network/network.ts';
import { deliversLate, interruptsThreads, strategyStraggles } from '../schedule/strategies.ts';
import { resolveTrace, type CostModel, type SimTraceOptions } from '@nccl-ts/cost-model';
import type { Strategy } from '../schedule/strategy.ts';

/** The machine to simulate. */
export interface SimOptions {
  /** The number of ranks, from 1 to 4096. */
  readonly ranks: number;
  /**
   * The number of consecutive ranks that can load and store each other's memory. It must divide
   * `ranks`.
   * @default `ranks`
   */
  readonly lsaSize?: number;
  /**
   * The number of CTAs that a rank's device holds at the same time, over all of its launches. CTAs
   * of a larger grid start as others end.
   * @default 132
   */
  readonly residentCtas?: number;
  /**
   * Selects the order in which CTAs run. Equal seeds and inputs give equal runs.
   * @default 1
   */
  readonly seed?: number;
  /**
   * True if the machine has multicast addresses, as NVLink switches provide them, and multicast
   * endpoints of the compute fabric. Both require symmetric memory.
   * @default as `symmetric`
   */
  readonly multimem?: boolean;
  /**
   * The network between ranks.
   * @default { connection: 'full', delivery: 'random', barriers: 'perPeer' }
   */
  readonly gin?: SimGinOptions;
  /**
   * True if the machine has symmetric memory. Otherwise there are no windows and no device
   * communicators.
   * @default true
   */
  readonly symmetric?: boolean;
  /**
   * The largest number of bytes of device memory for all ranks together, including padding.
   * @default a little less than 4 GiB, which is also the maximum
   */
  readonly memoryBytes?: number;
  /**
   * The number of loop rounds that a CTA may run without a wait; a turn in which it yields counts
   * as 1024. Beyond it the launch ends with `NCCLTS_INCOMPLETE`, so that a loop that spins on
   * memory cannot run forever.
   *
   * @default 2 ** 30, and 2 ** 26 with `mode: 'check'`, which is slower
   */
  readonly fuel?: number;
  /**
   * True, or costs, if events get times from a cost model, for `SimWorld.timeline`. Kernels run
   * slower, with the same results.
   * @default false
   */
  readonly trace?: boolean | SimTraceOptions;
  /**
   * With `check`, every access is watched, and `SimWorld.report` returns data races, reads of
   * unwritten memory, and misuse. Kernels run slower, with the same results.
   * @default 'run'
   */
  readonly mode?: 'run' | 'check';
  /**
   * The engine for kernels. With `wasm`, loops over the threads of a CTA become WebAssembly if
   * possible. The results are the same. With `mode: 'check'`, everything stays JavaScript. With
   * `trace`, only loops of plain accesses become WebAssembly.
   * @default 'js'
   */
  readonly engine?: 'js' | 'wasm';
  /**
   * The number of host threads that run kernels, with `engine: 'wasm'`. With 2 or more, CTAs run
   * concurrently, and the machine determines the schedule instead of the seed. If the host has no
   * threads that share memory, one thread runs all kernels, and `SimWorld.workers` has the reason.
   * @default 1
   */
  readonly workers?: number;
  /**
   * True if generated JavaScript has source maps. A breakpoint in a kernel's own file then stops
   * there and shows its variables by name. Breakpoints do not stop in WebAssembly.
   * @default true if a debugger (Node's inspector) is listening when the world is opened
   */
  readonly sourceMaps?: boolean;
  /**
   * The strategy of the schedule: `random`: by the `seed`, with every order equally likely. `pct`:
   * by priorities of CTAs that change `depth - 1` times, which finds errors that need few changes.
   * `late`: each CTA runs as far as it can, and the network comes last. With `mode: 'check'`, this
   * applies to each thread, and one thread of each CTA lags behind the others. `hasty`: like
   * `late`, but waits with a time limit give up; only with `mode: 'check'`. `replay`: as in the run
   * that recorded `replay`. With `mode: 'check'`, `pct` and `late` also interrupt threads before
   * and after ordered accesses, atomics, fences and network calls. They do so at most 8 times for
   * each CTA and 64 times in a schedule, or under `pct` 64 times for each of the `depth - 1`
   * changes. Other threads run meanwhile, so an update by a load and a store may be lost.
   * @default 'random'
   */
  readonly strategy?: Strategy;
  /**
   * For `pct`: the number of steps that must happen in a certain order to expose the error.
   * @default 3
   */
  readonly depth?: number;
  /**
   * For `replay`: the choices of a schedule, as a finding shows them. Choices that are missing at
   * the end take the first alternative.
   * @default ''
   */
  readonly replay?: string;
  /**
   * True if accesses that violate the memory model, but that today's hardware tolerates, count as
   * errors.
   * @default false
   */
  readonly strict?: boolean;
  /**
   * With `mode: 'check'`, called after each turn of a CTA, with the words of windows that it has
   * written, the writers, and their locations. Only the first 1024 bytes of each copy of a window
   * are watched.
   */
  readonly onTurn?: (turn: SimTurn) => void;
}

/** The network to simulate. */
export interface SimGinOptions {
  /**
   * The ranks that it connects: `none`, the ranks of the same `rail`, or all ranks (`full`).
   * @default 'full'
   */
  readonly connection?: GinReach;
  /**
   * When posted requests take effect, within NCCL's guarantees. `random`: at any time, by the seed.
   * `late`: only when a thread cannot continue without it, and signals before data that they do not
   * cover. `prompt`: at once.
   * @default 'random'
   */
  readonly delivery?: DeliveryTiming;
  /**
   * The form of its barriers: one signal for each rank, or two that alternate. Both give kernels
   * the same guarantees.
   * @default 'perPeer'
   */
  readonly barriers?: GinBarrierForm;
}

/** `SimOptions` with every default filled in. */
export type ResolvedSimOptions = Required<Omit<SimOptions, 'gin' | 'trace' | 'onTurn'>> & {
  readonly onTurn: SimOptions['onTurn'];
  readonly gin: Required<SimGinOptions>;
  readonly trace: CostModel | undefined;
};

/**
 * The logical endpoints of the machine. Machines with multicast addresses also have multicast
 * endpoints.
 */
export function endpointsOf({ symmetric, multimem }: Pick<ResolvedSimOptions, 'symmetric' | 'multimem'>): CftCaps {
  if (!symmetric) return 'none';
  return multimem ? 'cftMultimem' : 'cft';
}

/** Fills in the defaults. @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options */
export function resolveSimOptions(given: SimOptions): ResolvedSimOptions {
  return reading('sim()', () => resolve(takeOptions('sim()', given, known)));
}

function resolve(options: SimOptions): ResolvedSimOptions {
  const ranks = expectInteger('ranks', options.ranks, 1, 4096);
  const symmetric = expectBoolean('symmetric', options.symmetric ?? true);
  const strategy = expectOneOf('strategy', strategies, options.strategy ?? 'random');
  const replay = expectReplay(strategy, options.replay);
  const { lsaSize } = createTopology({ ranks, lsaSize: options.lsaSize ?? ranks });
  const multimem = expectBoolean('multimem', options.multimem ?? symmetric);
  if (multimem && !symmetric) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      'multimem needs symmetric memory; given multimem true with symmetric false.',
    );
  }
  return Object.freeze({
    ranks,
    lsaSize,
    residentCtas: expectInteger('residentCtas', options.residentCtas ?? 132, 1, 1 << 20),
    seed: expectInteger('seed', options.seed ?? 1, 0),
    multimem,
    gin: resolveGin(options.gin ?? {}, deliversLate(strategy, replay) ? 'late' : 'random'),
    symmetric,
    memoryBytes: expectInteger('memoryBytes', options.memoryBytes ?? MAX_HEAP_BYTES, 1),
    fuel: expectInteger('fuel', options.fuel ?? (options.mode === 'check' ? 2 ** 26 : 2 ** 30), 1),
    trace: resolveTrace(options.trace ?? false),
    mode: expectOneOf('mode', modes, options.mode ?? 'run'),
    engine: expectOneOf('engine', engines, options.engine ?? 'js'),
    strategy,
    replay,
    depth: expectInteger('depth', options.depth ?? 3, 1, 64),
    strict: expectBoolean('strict', options.strict ?? false),
    workers: expectWorkers(options),
    onTurn: expectOnTurn(options),
    sourceMaps: expectBoolean('sourceMaps', options.sourceMaps ?? isDebugged()),
  });
}

const known: Readonly<Record<keyof SimOptions, true>> = {
  ranks: true,
  lsaSize: true,
  residentCtas: true,
  seed: true,
  multimem: true,
  gin: true,
  symmetric: true,
  memoryBytes: true,
  fuel: true,
  trace: true,
  mode: true,
  engine: true,
  strategy: true,
  depth: true,
  replay: true,
  strict: true,
  workers: true,
  sourceMaps: true,
  onTurn: true,
};

type Chosen = Pick<ResolvedSimOptions, 'mode' | 'strategy' | 'replay'>;

/** True if one thread of each CTA lags behind. */
export function straggles({ mode, strategy, replay }: Chosen): boolean {
  return mode === 'check' && strategyStraggles(strategy, replay);
}

/** True if threads are interrupted before and after ordered accesses. */
export function interrupts({ mode, strategy, replay }: Chosen): boolean {
  return mode === 'check' && interruptsThreads(strategy, replay);
}

const modes = ['run', 'check'] as const;
const engines = ['js', 'wasm'] as const;
const strategies = ['random', 'pct', 'late', 'hasty', 'replay'] as const;

const deliveries: readonly DeliveryTiming[] = ['prompt', 'random', 'late'];

/** More threads than can have CTAs at the same time in any reasonable world. */
const MOST_WORKERS = 256;

function expectWorkers({
  workers = 1,
  engine = 'js',
  mode = 'run',
  trace = false,
  strategy = 'random',
}: SimOptions): number {
  const count = expectInteger('workers', workers, 1, MOST_WORKERS);
  if (count === 1) return count;
  const given = { engine, mode, trace, strategy };
  const needed = { engine: 'wasm', mode: 'run', trace: false, strategy: 'random' };
  if (JSON.stringify(given) === JSON.stringify(needed)) return count;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `workers: ${count} is for engine wasm, mode run, strategy random and no trace; given engine ${engine}, mode ${mode}, ` +
      `strategy ${strategy}${trace === false ? '' : ' and trace'}.`,
  );
}

function expectOnTurn({ onTurn, mode = 'run' }: SimOptions): SimOptions['onTurn'] {
  if (onTurn === undefined) return undefined;
  if (typeof onTurn !== 'function') throw wrong('onTurn', 'a function', onTurn);
  if (mode !== 'check') {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `onTurn is for mode check; given with mode ${mode}.`);
  }
  return onTurn;
}

function expectReplay(strategy: Strategy, replay: unknown): string {
  if (replay === undefined && strategy !== 'replay') return '';
  if (strategy !== 'replay') {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `replay is for strategy replay; given with strategy ${strategy}.`);
  }
  if (typeof replay !== 'string') throw wrong('replay', 'a text', replay);
  return replay;
}

function resolveGin(given: SimGinOptions, usual: DeliveryTiming): Required<SimGinOptions> {
  if (typeof given !== 'object' || given === null) throw wrong('gin', 'an object', given);
  const unknown = Object.keys(given).find((key) => !['connection', 'delivery', 'barriers'].includes(key));
  if (unknown !== undefined) throw wrong('gin', 'an object with connection, delivery and barriers', given);
  const { connection = 'full', delivery = usual, barriers = 'perPeer' } = given;
  if (!isGinReach(connection)) {
    throw wrong('gin.connection', `one of ${ginReaches.join(', ')}`, connection);
  }
  if (!deliveries.includes(delivery)) throw wrong('gin.delivery', `one of ${deliveries.join(', ')}`, delivery);
  if (!ginBarrierForms.includes(barriers)) {
    throw wrong('gin.barriers', `one of ${ginBarrierForms.join(', ')}`, barriers);
  }
  return Object.freeze({ connection, delivery, barriers });
}

function wrong(name: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${name} must be ${allowed}; given ${showValue(given)}.`);
}

function expectOneOf<T extends string>(name: string, allowed: readonly T[], value: T): T {
  if (allowed.includes(value)) return value;
  throw wrong(name, `one of ${allowed.join(', ')}`, value);
}

function expectBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new NcclError('NCCL_INVALID_ARGUMENT', `${name} must be true or false; given ${showValue(value)}.`);
}
