import { createMacrotaskQueue, NcclError } from '@nccl-ts/core';
import type { MacrotaskQueue, Timeline, TimelineRecorder } from '@nccl-ts/core';
import { buildDeadlock, DeadlockError, FaultError, outOfFuel, type Waiting } from '@nccl-ts/findings';
import {
  StallWatch,
  type KernelText,
  type CtaIdentity,
  type HostState,
  type KernelArg,
  type LaunchConfig,
  type MemSyncDomainMap,
} from '@nccl-ts/transport';
import type { ClusterSize } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type { Checker } from '../check/checker.ts';
import { aborted, failureOf, foreign } from '../base/errors.ts';
import { argValue, specialisedFields } from './launch-args.ts';
import type { SimWindow } from '../memory/sim-window.ts';
import type { SimWorldMemory } from '../memory/world-memory.ts';
import { Fabric } from '../fabric/fabric.ts';
import { NetworkRules } from '../network/network-rules.ts';
import { Network, type DeliveryTiming } from '../network/network.ts';
import type { StepKind } from '../network/request.ts';
import type { ArgValue, Caller, ProgramCode } from '@nccl-ts/codegen';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { Interrupts, Pace } from '../schedule/pace.ts';
import { Residents } from '../engine/residents.ts';
import { WorkerLaunches } from '../worker/worker-launches.ts';
import type { WorkerPool } from '../worker/worker-pool.ts';
import type { SimExecutable } from './sim-executable.ts';
import type { CostModel, LinkTraffic } from '@nccl-ts/cost-model';
import type { Tracer } from '@nccl-ts/cost-model/trace';
import type { Instruments } from './instruments.ts';
import { CycleCounter } from '../engine/cycle-counter.ts';
import { deadlockInput, type StuckWorld } from '../engine/deadlock-input.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { SimLaunch } from '../engine/launch.ts';
import { HoldableQueue } from '../engine/holdable-queue.ts';
import { LaunchHost } from '../engine/launch-host.ts';
import { hashOf } from '../engine/memory-hash.ts';
import { SpinWatch } from '../engine/spin-watch.ts';
import { SimStream } from '../engine/stream.ts';
import { turnsOf } from '../engine/turns-of.ts';

export interface SimRunnerOptions {
  readonly topology: Topology;
  readonly residentCtas: number;
  readonly fuel: number;
  readonly scheduler: Scheduler;
  readonly delivery: DeliveryTiming;
  readonly memory: SimWorldMemory;
  /** The cost model, if tracing is on. */
  readonly trace?: CostModel | undefined;
  readonly tracing: Instruments['tracing'];
  /** See `EngineOptions`. */
  readonly choosesOrders: boolean;
  /** Checks memory order, if checking is on. */
  readonly checker?: Checker | undefined;
  /**
   * Decides the pace of the threads of a launch's CTA at the points where they may stop.
   * `interrupts` returns true if a thread stops at a point.
   */
  readonly pace?: ((launch: SimLaunch, cta: CtaIdentity, threads: number, interrupts: Interrupts) => Pace) | undefined;
  /** True if a launch (given by its number) that may begin before the previous one ends does so. */
  readonly beginsEarly: (launch: number) => boolean;
  /** See `Looks`. */
  readonly isLate?: (() => boolean) | undefined;
  /** Called when a CTA starts a turn, and with `undefined` when the turn ends. */
  readonly onTurn?: ((cta: CtaIdentity | undefined) => void) | undefined;
  /** Host threads that also run kernels, if there are any. */
  readonly pool?: WorkerPool | undefined;
  readonly onStall: (error: Error | undefined) => void;
}

function onTurn(tracer: Tracer | undefined, listener: SimRunnerOptions['onTurn']): EngineOptions['onTurn'] {
  if (tracer === undefined && listener === undefined) return undefined;
  return (cta) => {
    tracer?.turn(cta?.trace);
    listener?.(cta?.identity);
  };
}

/** Streams, launches, and their results. */
export class SimRunner {
  readonly engine: Engine;
  readonly #options: SimRunnerOptions;
  readonly #watch: StallWatch;
  /** The queue of the engine's slices. */
  readonly #turns: HoldableQueue;
  readonly #queues: readonly MacrotaskQueue[];
  readonly #cycles: CycleCounter;
  readonly #network: Network;
  readonly #fabric: Fabric;
  readonly #rules: NetworkRules;
  readonly #streams = new Set<SimStream>();
  readonly #tracer: Tracer | undefined;
  readonly #elsewhere: WorkerLaunches | undefined;
  #launches = 0;
  /** The number of launches of each rank. */
  readonly #launchesOf = new Map<number, number>();
  /** The number of the engine's slices at the last leap of the cycle counter. */
  #leptAt = -1;

  constructor(options: SimRunnerOptions) {
    this.#options = options;
    this.#cycles = new CycleCounter(options.scheduler.nextU64());
    const turns = turnsOf(options.fuel);
    const engineQueue = new HoldableQueue(createMacrotaskQueue());
    const watchQueue = createMacrotaskQueue();
    this.#turns = engineQueue;
    this.#queues = [engineQueue, watchQueue];
    const { memory, scheduler, delivery, residentCtas, topology, trace, tracing } = options;
    const tracer =
      trace === undefined || tracing === undefined
        ? undefined
        : new tracing.Tracer({ ranks: topology.nRanks, residentCtas, cost: trace, memory });
    this.#tracer = tracer;
    this.#rules = new NetworkRules(memory.heap);
    this.#network = new Network({
      heap: memory.heap,
      rules: this.#rules,
      scheduler,
      delivery,
      onStep: (operation, kind) => this.engine.hash.addStep(operation, stepCodes[kind]),
      observer: tracer?.network,
      checker: options.checker?.network,
    });
    this.#fabric = new Fabric({
      heap: memory.heap,
      network: this.#network,
      delivery,
      watch: options.checker?.fabric,
    });
    this.engine = new Engine({
      ranks: options.topology.nRanks,
      residents: options.pool?.residents ?? new Residents(new Int32Array(topology.nRanks), residentCtas),
      turns,
      scheduler: options.scheduler,
      macrotasks: engineQueue,
      network: this.#network,
      isLate: options.isLate,
      choosesOrders: options.choosesOrders,
      beginsEarly: ({ id }) => options.beginsEarly(id),
      toFailure: (launch, thrown) => this.#noted(failureOf(launch.kernel, thrown)),
      outOfFuel: ({ owner, state }) =>
        this.#noted(
          spent(
            owner,
            state.identity,
            turns,
            whereabouts(() => owner.program.waiting(state)),
          ),
        ),
      onTurn: onTurn(tracer, options.onTurn),
      onIdle: () => this.#onIdle(),
      spins: new SpinWatch({
        memory: () => `${hashOf(memory.heap.views.u32)} ${this.#network.describe()}`,
        clock: () => this.#cycles,
        letTimePass: () => this.#cycles.leap(),
        landed: () => this.#cycles.landed(),
      }),
      onSpin: () => {
        // A running host program may still do what a kernel waits for.
        if (this.#watch.hosts.includes('running')) return false;
        this.#reportStall(true);
        return true;
      },
      onEnough: () => this.endAll(aborted('The launch', 'all possible continuations were explored')),
      describe: () => this.#describe(),
    });
    this.#elsewhere = options.pool === undefined ? undefined : this.#spread(options.pool, turns);
    this.#watch = new StallWatch({
      ranks: options.topology.nRanks,
      macrotasks: watchQueue,
      still: () => !this.engine.active && (this.#elsewhere === undefined || this.#elsewhere.parked !== undefined),
      stuck: () => !this.engine.empty,
      onStall: () => {
        if (!this.#letTimePass()) options.onStall(this.#reportStall());
      },
    });
  }

  /** Ends the threads that run kernels. */
  async endThreads(): Promise<void> {
    await this.#options.pool?.end();
    this.#elsewhere?.ended();
  }

  createStream(rank: number, domains?: MemSyncDomainMap): SimStream {
    const stream = new SimStream(rank, domains, this.engine.news.about({}, rank));
    this.#streams.add(stream);
    return stream;
  }

  /** Work of the stream that is running continues. */
  destroyStream(stream: SimStream): void {
    stream.destroyed = true;
    if (!stream.busy) this.#streams.delete(stream);
  }

  launch(executable: SimExecutable, config: LaunchConfig, args: readonly KernelArg[]): void {
    const { rank } = this.streamOf(config);
    const { memory } = this.#options;
    const values = args.map((arg) => argValue(arg, rank, memory.space));
    const code = executable.codeFor(config.block, specialisedFields(args));
    this.#enqueue(config, executable.module, code, values, executable.module.cluster);
  }

  /** Enqueues code in place of launches of `kernel`: one CTA of one thread that runs `code`. */
  launchInstead(kernel: KernelText, config: Omit<LaunchConfig, 'grid' | 'block'>, code: ProgramCode): void {
    const one = { x: 1, y: 1, z: 1 };
    this.#enqueue({ ...config, grid: one, block: one }, kernel, code, []);
  }

  /** Stops all turns on this thread until the returned function is called. */
  hold(): () => void {
    return this.#turns.hold();
  }

  /** @throws if the stream does not belong to this world */
  streamOf({ stream }: Pick<LaunchConfig, 'stream'>): SimStream {
    if (!(stream instanceof SimStream) || !this.#streams.has(stream)) throw foreign('stream');
    return stream;
  }

  #enqueue(
    config: LaunchConfig,
    kernel: KernelText,
    code: ProgramCode,
    values: readonly ArgValue[],
    cluster?: ClusterSize,
  ): void {
    const { grid, block, signal, label, attributes } = config;
    const stream = this.streamOf(config);
    const ordinal = (this.#launchesOf.get(stream.rank) ?? 0) + 1;
    this.#launchesOf.set(stream.rank, ordinal);
    const launch = new SimLaunch({
      id: this.#launches++,
      ordinal,
      kernel,
      label,
      stream,
      grid,
      block,
      code,
      args: values,
      attributes,
      cluster,
      bind: (bound) => code.bind(this.#hostOf(bound), values),
    });
    if (signal !== undefined) this.#observe(launch, signal);
    this.#options.checker?.enqueues(launch);
    this.engine.enqueue(launch);
  }

  /** Called before a window is freed. It must have no pending operations. */
  forget(window: SimWindow): void {
    this.#network.drain();
    for (const address of window.addresses) {
      this.#rules.forget(address, address + window.bytes);
      this.#tracer?.forget(address, address + window.bytes);
    }
  }

  /**
   * Called when the host reads a rank's memory. It sees the writes that the rank's kernels have
   * seen.
   */
  hostLooks(rank: number): void {
    this.#network.acquireAll(rank);
  }

  /**
   * Returns the timeline so far, in simulated time.
   *
   * @throws NcclError if tracing is off.
   */
  timeline(recorder: TimelineRecorder): Timeline {
    return this.#traced.timeline(recorder);
  }

  /**
   * Returns the bytes on each link so far.
   *
   * @throws NcclError if tracing is off.
   */
  traffic(): readonly LinkTraffic[] {
    return this.#traced.traffic.links;
  }

  get #traced(): Tracer {
    if (this.#tracer !== undefined) return this.#tracer;
    throw new NcclError('NCCL_INVALID_USAGE', 'This world keeps no time: make its backend with sim({ trace: true }).');
  }

  /** The number of launches so far. */
  get launches(): number {
    return this.#launches;
  }

  setHostState(rank: number, state: HostState): void {
    this.#watch.setHost(rank, state);
  }

  /** Called when the host has changed memory, which may let a kernel's wait pass. */
  memoryChanged(): void {
    this.engine.poke();
  }

  /** Ends everything that is running, queued, or being waited for. */
  endAll(error: NcclError): void {
    for (const stream of this.#streams) {
      if (!stream.busy) continue;
      this.#options.checker?.endings.brokenOff();
      this.engine.failStream(stream, error);
    }
    this.#watch.changed();
  }

  /** Ends the work of one stream that is running, queued or being waited for. */
  cancel(stream: SimStream, error: NcclError): void {
    if (stream.busy) {
      this.#options.checker?.endings.brokenOff();
      this.engine.failStream(stream, error);
    }
    this.#watch.changed();
  }

  dispose(): void {
    for (const queue of this.#queues) queue.close();
    this.engine.news.end();
    this.#streams.clear();
  }

  /** Lets the threads of `pool` run as far as they can. */
  #spread(pool: WorkerPool, turns: number): WorkerLaunches {
    const elsewhere = new WorkerLaunches({
      pool,
      memory: this.#options.memory,
      hostOf: (launch) => this.#hostOf(launch),
      onEnd: (launch) => this.engine.endedElsewhere(launch),
      onFailure: (launch, fail) => this.engine.fail(launch, this.#noted(failureOf(launch.kernel, thrownBy(fail)))),
      spent: (launch, { cta }) => spent(launch, cta, turns),
      onIdle: () => this.engine.elsewhereIsStill(),
    });
    this.engine.spread(elsewhere);
    return elsewhere;
  }

  #describe(): string {
    const streams = [...this.#streams].map(({ rank, running, early, queued }) =>
      [rank, running?.id ?? -1, running?.describeWaiting() ?? '', early.length, queued.length].join(),
    );
    return [this.#launches, ...streams, this.#options.memory.describe(), this.#network.describe()].join('|');
  }

  #hostOf(launch: SimLaunch): LaunchHost {
    const network = this.#network;
    const tracer = this.#tracer;
    const trace = tracer?.begin(launch);
    const { memory, checker } = this.#options;
    const watch = checker?.begins(launch);
    launch.onOver = () => {
      if (tracer !== undefined && trace !== undefined) tracer.end(trace);
      checker?.ends(launch);
    };
    const posting = checker === undefined ? undefined : (caller: Caller) => checker.network.posting(caller, launch);
    const onClock = (): void => checker?.order.determinacy?.doubts("the kernel's behaviour depends on the clock");
    return new LaunchHost({
      launch,
      memory,
      network,
      fabric: this.#fabric,
      endpoints: this.#options.memory.endpoints,
      rules: this.#rules,
      cycles: this.#cycles,
      trace,
      watch,
      pace: this.#paceOf(launch),
      isLate: this.engine.isLate,
      posting,
      initiating: checker === undefined ? undefined : (caller) => checker.fabric.initiating(caller, launch),
      onTrigger: () => this.engine.beginEarly(launch.stream),
      givesUp: this.#options.scheduler.givesUp,
      onClock,
    });
  }

  /**
   * Returns a function that counts the visits to a point anew in each launch, so a later launch may
   * be interrupted differently.
   */
  #paceOf(launch: SimLaunch): LaunchHost['pace'] {
    const { pace, scheduler } = this.#options;
    if (pace === undefined) return undefined;
    const numbers: number[] = [];
    const interrupts: Interrupts = (point, isAct) => {
      const number = (numbers[point] ?? 0) + 1;
      numbers[point] = number;
      return scheduler.interrupts?.(number, isAct) ?? false;
    };
    return (cta, threads) => pace(launch, cta, threads, interrupts);
  }

  #observe(launch: SimLaunch, signal: AbortSignal): void {
    const cancel = (): void => {
      this.#options.checker?.endings.brokenOff();
      this.engine.cancel(launch, aborted(`Kernel ${launch.kernel.name}`, signal.reason));
    };
    if (signal.aborted) {
      cancel();
      return;
    }
    signal.addEventListener('abort', cancel, { once: true });
    launch.onEnd = () => signal.removeEventListener('abort', cancel);
  }

  #onIdle(): void {
    // Nothing runs and nothing is queued, so there is no pointer into a freed window.
    if (this.engine.empty) this.#options.memory.space.regions.recycle();
    for (const stream of this.#streams) {
      if (stream.destroyed && !stream.busy) this.#streams.delete(stream);
    }
    this.#watch.changed();
  }

  /** If no CTA can run but a wait depends on the time, advances the time and returns true. */
  #letTimePass(): boolean {
    const cycles = this.#cycles;
    if (!this.engine.parked.some(({ owner, state }) => owner.program.readsClock?.(state) === true)) return false;
    if (this.engine.turns !== this.#leptAt) cycles.landed();
    this.#leptAt = this.engine.turns;
    if (!cycles.leap()) return false;
    this.engine.poke();
    return true;
  }

  get #historyOf(): StuckWorld['historyOf'] {
    const { checker } = this.#options;
    return checker === undefined ? undefined : (address, waiter) => checker.historyOf(address, waiter);
  }

  /** The error that ends stuck work; `undefined` if only host programs wait. */
  #reportStall(livelock = false): DeadlockError | undefined {
    if (this.engine.empty) return undefined;
    const { topology, memory } = this.#options;
    const streams = this.#streams;
    const { hosts } = this.#watch;
    const report = buildDeadlock(
      deadlockInput({
        livelock,
        engine: this.engine,
        elsewhere: this.#elsewhere?.parked ?? [],
        streams,
        hosts,
        topology,
        memory,
        historyOf: this.#historyOf,
      }),
    );
    const stuck = [...streams].filter((stream) => stream.running !== undefined).toSorted((a, b) => a.rank - b.rank);
    const error = new DeadlockError(
      report,
      stuck.flatMap((stream) => stream.takePrinted()),
    );
    for (const stream of stuck) this.engine.failStream(stream, error);
    return this.#noted(error);
  }

  #noted<E>(error: E): E {
    this.#options.checker?.failed(error);
    return error;
  }
}

function thrownBy(fail: () => never): unknown {
  try {
    return fail();
  } catch (thrown) {
    return thrown;
  }
}

const stepCodes: Readonly<Record<StepKind, number>> = { read: 5, write: 6, signal: 7 };

/** Returns the location of a CTA. If it cannot be found, the report goes without it. */
function whereabouts(waiting: () => readonly Waiting[]): readonly Waiting[] {
  try {
    return waiting();
  } catch {
    return [];
  }
}

function spent(launch: SimLaunch, cta: CtaIdentity, turns: number, waiting: readonly Waiting[] = []): FaultError {
  const { sites } = launch.code;
  const report = outOfFuel({ kernel: launch.kernel, launch: launch.id, cta, turns, waiting, sites });
  return new FaultError(report, launch.stream.takePrinted());
}
