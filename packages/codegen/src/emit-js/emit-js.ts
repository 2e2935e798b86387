import {
  analyseLiveness,
  casLoops,
  nameApproximations,
  waitBeforeRetry,
  planArrays,
  loadsIn,
  splitStates,
  voteLoops,
  walkBody,
  type Module,
  type ValidatedModule,
} from '@nccl-ts/ir';

import { isNetworkCall } from '../emit-shared/network-calls.ts';
import { nonCoherentSpans } from '../emit-shared/non-coherent-spans.ts';
import { polledSpans, waitedSpans } from '../emit-shared/polled-spans.ts';
import { polledVectors } from '../emit-shared/polled-vectors.ts';
import type { ProgramCode, Specialisation } from '../program/program.ts';
import type { KernelRegions, RegionCompiler } from '../emit-shared/kernel-regions.ts';
import type { JsContext } from './js-context.ts';
import { emitCtaProgram } from './emit-cta.ts';
import { emitThreadProgram } from './emit-thread-program.ts';
import { assembleModule } from './emit-module.ts';
import { emitLaunchLocals, launchLocals } from './launch-locals.ts';
import { isMeeting, NotLockstep } from './lockstep.ts';
import { pausesOf } from './pauses.ts';
import { moduleText } from '../emit-shared/module-text.ts';
import { factsOf, preparedModule, remembered } from '../emit-shared/prepared-module.ts';
import { ROUNDS_UNSEEN, roundsUnseen } from '../emit-shared/pausing.ts';
import { SessionWords } from '../emit-shared/session-words.ts';
import { withSourceMap } from './source-map.ts';
import { MulticastPointers } from '../emit-shared/multicast-pointers.ts';
import { bindProgram, programFunction, type CreateProgram } from './program-function.ts';
import { reasonToStay } from './reason-to-stay.ts';
import { siteUses } from './site-uses.ts';

/** The options of generated code. */
export interface EmitJsOptions {
  /**
   * The rounds that an unbounded loop may run in one slice of a thread before it faults.
   * @default 2 ** 30
   */
  readonly fuel?: number;
  /**
   * `thread` gives every thread a program counter, even if the threads of a CTA could run in
   * lockstep.
   */
  readonly mode?: 'auto' | 'thread';
  /** True if the code reports everything that takes simulated time. @default false */
  readonly trace?: boolean;
  /**
   * True if the code reports every access, fence and synchronization, for a check of their order.
   * @default false
   */
  readonly watch?: boolean;
  /**
   * True if threads are interrupted before and after ordered accesses, as the host decides.
   * @default false
   */
  readonly interrupts?: boolean;
  /**
   * True if one thread of each CTA also lags behind. Every thread then has a program counter.
   * @default false
   */
  readonly straggles?: boolean;
  /**
   * True if the lanes of a warp wait for each other before accesses that GPUs perform together.
   * Requires `interrupts`. Every thread then has a program counter.
   *
   * @default false
   */
  readonly gathers?: boolean;
  /**
   * Compiles loops over threads if possible: `webAssemblyRegions` of `@nccl-ts/codegen/wasm`.
   * Watched code stays JavaScript. Traced code runs one thread after the other.
   *
   * @default none
   */
  readonly regions?: RegionCompiler | undefined;
  /**
   * The loops that become WebAssembly: those that are worth a call, or all that can.
   * @default 'worthwhile'
   */
  readonly compiles?: 'worthwhile' | 'all';
  /**
   * True if CTAs run on several host threads. Ordered and atomic accesses then hold for all of
   * them.
   * @default false
   */
  readonly shared?: boolean;
  /** True if the text maps its lines to those of the kernel, for debuggers. @default false */
  readonly sourceMap?: boolean;
}

/**
 * Generates JavaScript that runs `module`, once for all launches with the same `specialisation`.
 *
 * These parts bridge the differences between JavaScript and the IR:
 * - *Threads.* JavaScript has only one. A CTA is a `switch` over the states between its cuts. In
 *   each state a loop runs every thread up to the next cut. If threads may diverge across a cut,
 *   each has a program counter instead.
 * - *Numbers* are doubles. Every operation ends with a conversion to its type (`| 0`,
 *   `Math.fround`, ...). 64-bit integers are bigints. Floats of 16 and 8 bits are rounded doubles.
 * - *Vectors and pointers* are several variables: the elements, or an address and the region in
 *   which it must stay.
 * - *Expressions that need statements* (a bit pattern that goes through memory, a value that is
 *   needed twice) put these before their statement. They are inside a branch if they are evaluated
 *   only sometimes.
 * - *Text is code.* The generated text contains no text of the kernel: names are numbered, strings
 *   are passed as data, and numbers are printed here.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the host forbids code from text (when `bind` of the
 * result is called), and for primitives that the simulator lacks.
 */
export function emitJs(
  module: ValidatedModule,
  specialisation: Specialisation,
  options: EmitJsOptions = {},
): ProgramCode {
  return emitLooking(module, specialisation, options, ROUNDS_UNSEEN);
}

/**
 * Like `emitJs`, for code that checks the clock every `rounds` rounds of its loops; 0 means never.
 */
export function emitLooking(
  module: ValidatedModule,
  specialisation: Specialisation,
  options: EmitJsOptions,
  rounds: number,
): ProgramCode {
  const specialised = preparedModule(module, specialisation);
  const prepared = options.watch === true ? nameApproximations(waitBeforeRetry(specialised)) : specialised;
  const sessions = new SessionWords(options.watch === true ? module.body : []);
  const emitted = emitPrepared({ module: prepared, specialisation, options, sessions, rounds });
  let create: CreateProgram | undefined;
  const compiled = emitted.regions?.compile();
  const stays = options.shared === true ? reasonToStay(prepared) : undefined;
  const isPortable = options.shared === true && stays === undefined;
  return {
    language: 'js',
    text: emitted.text,
    sites: emitted.sites,
    body: prepared.body,
    usesOf: siteUses(prepared.body, emitted.sites),
    regions: emitted.regions?.regions ?? [],
    wat: compiled?.wat,
    portable: isPortable ? { text: emitted.text, strings: emitted.strings, wasm: compiled?.bytes } : undefined,
    stays,
    bind: (host, args) => {
      create ??= programFunction(module.name, emitted.text);
      return bindProgram(create, { host, args, strings: emitted.strings, regions: compiled?.of(host) });
    },
  };
}

interface Emitted {
  readonly regions: KernelRegions | undefined;
  readonly text: string;
  readonly sites: JsContext['sites'];
  readonly strings: readonly string[];
}

/** A module that is ready to become text, and the way to do it. */
interface PreparedModule {
  readonly module: Module;
  readonly specialisation: Specialisation;
  readonly options: EmitJsOptions;
  readonly sessions: SessionWords;
  readonly rounds: number;
}

function emitPrepared(prepared: PreparedModule): Emitted {
  const { options } = prepared;
  if (options.mode !== 'thread' && options.straggles !== true && options.gathers !== true) {
    try {
      return emitMode(prepared, 'cta');
    } catch (error) {
      if (!(error instanceof NotLockstep)) throw error;
    }
  }
  return emitMode(prepared, 'thread');
}

function emitMode(prepared: PreparedModule, mode: JsContext['mode']): Emitted {
  const { module, specialisation, options, sessions, rounds } = prepared;
  const { fuel = 2 ** 30 } = options;
  const { x, y, z } = specialisation.blockDim;
  const { uniformity, recomputable } = factsOf(module);
  const votes = options.trace === true ? voteLoops(module.body) : new Map<never, never>();
  if (votes.size > 0 && mode === 'cta') throw new NotLockstep('a vote that ends a wait');
  const voting = new Set([...votes.values()].flatMap(({ round }) => loadsIn(round)));
  const context: JsContext = {
    mode,
    module,
    specialisation,
    threads: x * y * z,
    uniformity: remembered(uniformity),
    recomputable,
    launchLocals: mode === 'thread' ? launchLocals(recomputable) : new Set(),
    arrays: planArrays(module),
    sites: [],
    strings: [],
    helpers: new Set(),
    handleFields: new Map(),
    fuel,
    unseen: roundsUnseen(fuel, rounds),
    partialReturns: mode === 'cta' && hasPartialReturn(module, uniformity),
    usesNetwork: callsNetwork(module),
    traced: options.trace ?? false,
    watched: options.watch ?? false,
    interrupts: options.interrupts ?? false,
    straggles: options.straggles ?? false,
    gathers: options.gathers ?? false,
    shared: options.shared ?? false,
    multicast: new MulticastPointers(module.body),
    // A region's shared memory is that of a single CTA.
    regions: mode === 'cta' && module.cluster === undefined ? regionsOf(options) : undefined,
    sessions,
    applied: new Map(
      options.watch === true ? casLoops(module.body).map(({ atomic, applies }) => [atomic, applies]) : [],
    ),
    polled: options.watch === true ? polledSpans(module.body) : new Set(),
    nonCoherent: options.watch === true ? nonCoherentSpans(module.body) : new Set(),
    waited: options.watch === true ? waitedSpans(module.body) : new Set(),
    voteLoops: votes,
    untimed: voting,
    polledVectors: options.trace === true ? polledVectors(module.body, voting) : new Set(),
    markedSpans: options.sourceMap === true ? [] : undefined,
  };
  const graph = splitStates(module.body, {
    isCut: (s) => s.kind === 'wait' || s.kind === 'waitAll' || (mode === 'thread' && isMeeting(s)),
    yields: true,
    ...(context.interrupts ? { pausesAround: pausesOf(context) } : {}),
    pausesFirst: context.gathers,
  });
  const text = moduleText();
  const program = { graph, liveness: analyseLiveness(graph) };
  if (mode === 'cta') emitCtaProgram(context, text, program);
  else emitThreadProgram(context, text, program);
  emitLaunchLocals(context, text);
  const { sites, strings } = context;
  const regions = context.regions ?? threadRegions(options);
  const assembled = assembleModule(context, text);
  const { markedSpans } = context;
  const mapped =
    markedSpans === undefined
      ? assembled
      : withSourceMap(assembled, module, markedSpans, `nccl-ts:///${module.name}-${x}x${y}x${z}.js`);
  return { text: mapped, sites, strings, regions };
}

/** The loops of a kernel whose threads do not run in lockstep, with the reason. */
function threadRegions(options: EmitJsOptions): KernelRegions | undefined {
  const regions = regionsOf(options);
  regions?.left('run', 'every thread has a program counter');
  return regions;
}

/** `undefined` if the code reports to a watch, which requires JavaScript. */
function regionsOf({ regions, compiles, shared = false, watch }: EmitJsOptions): KernelRegions | undefined {
  return watch === true ? undefined : regions?.(compiles === 'all', shared);
}

function callsNetwork(module: Module): boolean {
  let found = false;
  walkBody(module.body, {
    statement: (s) => {
      found ||= s.kind === 'call' && isNetworkCall(s);
    },
  });
  return found;
}

function hasPartialReturn(module: Module, uniformity: JsContext['uniformity']): boolean {
  let found = false;
  walkBody(module.body, {
    statement: (s) => {
      found ||= s.kind === 'return' && uniformity.divergence(s) !== undefined;
    },
  });
  return found;
}
