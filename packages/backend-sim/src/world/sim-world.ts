import { FRAME_BYTES } from '@nccl-ts/codegen';
import { at, NcclError, type Timeline, type TimelineRecorder } from '@nccl-ts/core';
import { findingKey, wrongResultOf, type CheckReport } from '@nccl-ts/findings';
import type { SourceLocation, ValidatedModule } from '@nccl-ts/ir';
import { expectRecorder } from './expect-recorder.ts';
import type { LinkTraffic } from '@nccl-ts/cost-model';
import type { Topology } from '@nccl-ts/topology';
import type {
  BackendWorld,
  BufferPart,
  CreateStreamOptions,
  DevCommHandle,
  DeviceBuffer,
  Executable,
  ExposedMemory,
  GraphHandle,
  HostEndpoint,
  HostState,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  RankGroup,
  RankMisuse,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { Checker } from '../check/checker.ts';
import { noEarlierRun, type EarlierRun } from '../check/earlier-run.ts';
import { noLines, type SeenLines } from '../check/seen-lines.ts';
import type { WriteLog } from '../check/write-log.ts';
import { checkClusterLaunch } from '../engine/cluster-launch.ts';
import { cooperativeTooLarge } from '../engine/cooperative.ts';
import { MEM_SYNC_DOMAINS } from '../engine/mem-sync-domains.ts';
import type { Instruments } from './instruments.ts';
import { SimRunner } from './runner.ts';
import { streamOf } from '../engine/stream.ts';
import { aborted, closed, foreign } from '../base/errors.ts';
import { SimWindow } from '../memory/sim-window.ts';
import { loadCollectives } from '../collective/load-collectives.ts';
import { WorldCollectives } from '../collective/world-collectives.ts';
import { SimWorldMemory } from '../memory/world-memory.ts';
import { launchPace } from './launch-pace.ts';
import type { SimWorkers } from '../base/sim-workers.ts';
import { recordingScheduler } from '../schedule/replay-scheduler.ts';
import { earlyBeginsOf } from '../schedule/early-begins.ts';
import { scheduleOf } from '../schedule/schedule-id.ts';
import { schedulerOf } from '../schedule/strategies.ts';
import { SimDevComm } from '../memory/sim-dev-comm.ts';
import { SimExecutable, type Emit } from './sim-executable.ts';
import { SimGraph, type Capture } from './sim-graph.ts';
import { endpointsOf } from './sim-options.ts';
import type { SimWorldOptions } from './sim-world-options.ts';

/**
 * A simulated world. Two worlds with the same seed and the same calls in the same order behave the
 * same, step by step.
 *
 * It stays usable after a deadlock or a fault. Memory, including that of device communicators,
 * keeps the kernels' writes until then. So an interrupted barrier stays out of step.
 */
export interface SimWorld extends BackendWorld {
  /** A 32-bit hash of the events so far. Equal runs have equal hashes. */
  readonly eventHash: number;
  /**
   * For a checking world: true if the program has relied on an order that GPUs guarantee beyond the
   * memory model.
   */
  readonly leansOnHardware: boolean;
  /** For a checking world: true if findings do not tell what happened to words. */
  readonly hasForgotten: boolean;
  /** For a checking world: the lines of 128 bytes that warps may have stored whole. */
  readonly lines: SeenLines;
  /** For a checking world: the facts of this run that a further one needs. */
  readonly seen: EarlierRun;
  /** The number of launches so far. */
  readonly launches: number;
  /** The number of turns that CTAs have had so far. */
  readonly turns: number;
  /** The threads that run kernels. */
  readonly workers: SimWorkers;
  /**
   * Returns the recording so far in simulated time, as a frozen value. Slices that have not ended
   * are cut off and marked `unfinished`.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if the backend was made without `trace`.
   */
  timeline(recorder: TimelineRecorder): Timeline;
  /**
   * Returns the bytes that kernels have loaded from and stored to the memory of each peer so far,
   * for every ordered pair of ranks, by rank and peer. Atomics count in both directions. The
   * network, multicast addresses, and repeated reads of a wait are not counted.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if the backend was made without `trace`.
   */
  traffic(): readonly LinkTraffic[];
  /**
   * Returns the findings so far, as a frozen value.
   *
   * @throws NcclError `NCCL_INVALID_USAGE` if the backend was made without `mode: 'check'`.
   */
  report(): CheckReport;
}

/** Opens a world whose kernels are compiled by `emit`. */
export function createSimWorld(topology: Topology, options: SimWorldOptions, emit: Emit): SimWorld {
  return new SimulatedWorld(topology, options, emit);
}

class SimulatedWorld implements SimWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport;
  readonly workers: SimWorkers;
  readonly #memory: SimWorldMemory;
  readonly #runner: SimRunner;
  readonly #emit: Emit;
  readonly #checking: Instruments['checking'];
  readonly #checker: Checker | undefined;
  readonly #log: WriteLog | undefined;
  /** Runs collectives without their kernels. */
  readonly #collectives: WorldCollectives | undefined;
  /** Set only if collectives may run without their kernels. */
  readonly prepareWork?: () => Promise<void>;
  #capture: Capture | undefined;
  readonly #done = new Set<number>();
  readonly #residentCtas: number;
  /** Set only if there is a report that can contain it. */
  readonly misused?: (misuse: RankMisuse) => void;
  #closed = false;

  constructor(topology: Topology, options: SimWorldOptions, emit: Emit) {
    this.topology = topology;
    this.#residentCtas = options.residentCtas;
    this.localRanks = Object.freeze(Array.from({ length: topology.nRanks }, (_, rank) => rank));
    const threads = options.pool?.size ?? 0;
    this.#memory = new SimWorldMemory(
      topology,
      options.memoryBytes,
      options.multimem,
      options.engine === 'wasm' ? FRAME_BYTES * (1 + threads) : 0,
      options.pool !== undefined,
    );
    this.workers = Object.freeze({ threads: Math.max(threads, 1), note: options.lack });
    this.#emit = emit;
    this.support = Object.freeze({
      symmetric: options.symmetric,
      multimem: options.multimem,
      gin: options.gin.connection,
      cft: endpointsOf(options),
      ginBarriers: options.gin.barriers,
    });
    const { mode, strategy, seed, strict, depth, replay } = options;
    const chosen = options.scheduler ?? schedulerOf({ strategy, seed, depth, replay });
    const recording = mode === 'check' ? recordingScheduler(chosen) : undefined;
    const { checking, tracing } = options.instruments;
    this.#checking = checking;
    this.#checker =
      checking === undefined
        ? undefined
        : new checking.Checker({
            ranks: topology.nRanks,
            residentCtas: options.residentCtas,
            schedule: () => scheduleOf({ strategy, seed, replay }, recording?.choices ?? []),
            strict,
            locate: (address) => this.#memory.byteAt(address),
            addressOf: (window, rank, offset) => this.#memory.addressOfByte(window, rank, offset),
            views: () => this.#memory.heap.views,
            onDeterminacy: options.onDeterminacy,
            hardware: options.hardware,
            earlier: options.earlier,
            storyEvents: options.storyEvents,
            omits: options.omits,
          });
    const checker = this.#checker;
    if (checking !== undefined && checker !== undefined) {
      this.misused = (misuse) => {
        const finding = checking.rankMisuseFinding(misuse, checker.schedule);
        checker.add(findingKey(finding), () => finding);
      };
    }
    const log = checker === undefined ? undefined : checking?.writeLogOf(options.onTurn, checker, this.#memory);
    this.#log = log;
    this.#runner = new SimRunner({
      topology,
      residentCtas: options.residentCtas,
      fuel: options.fuel,
      scheduler: recording ?? chosen,
      delivery: options.gin.delivery,
      memory: this.#memory,
      trace: options.trace,
      tracing,
      checker: this.#checker,
      choosesOrders: mode === 'check' || chosen.isExhaustive === true,
      pace: launchPace(options),
      beginsEarly: earlyBeginsOf({
        ...options,
        isCounted: options.onDeterminacy !== undefined,
        forbidsOverlap: options.trace !== undefined || options.pool !== undefined,
      }),
      isLate: options.isLate,
      onTurn: log === undefined ? undefined : (cta) => (cta === undefined ? log.ends() : log.begins(cta)),
      pool: options.pool,
      onStall: options.onStall,
    });
    if (isWithoutKernels(options)) {
      const collectives = new WorldCollectives({
        memory: this.#memory,
        threads: options.pool === undefined ? 1 : options.workers,
        load: options.loadCollectives ?? loadCollectives,
        hold: () => this.#runner.hold(),
      });
      this.#collectives = collectives;
      this.prepareWork = async () => collectives.prepare();
    }
  }

  get leansOnHardware(): boolean {
    return this.#checker?.order.leansOnHardware === true;
  }

  get hasForgotten(): boolean {
    return this.#checker?.stories.isForgotten === true;
  }

  get lines(): SeenLines {
    return this.#checker?.lines ?? noLines;
  }

  get seen(): EarlierRun {
    return this.#checker?.seen ?? noEarlierRun;
  }

  get eventHash(): number {
    return this.#runner.engine.hash.value;
  }

  get launches(): number {
    return this.#runner.launches;
  }

  get turns(): number {
    return this.#runner.engine.turns;
  }

  timeline(recorder: TimelineRecorder): Timeline {
    expectRecorder(recorder);
    return this.#runner.timeline(recorder);
  }

  traffic(): readonly LinkTraffic[] {
    return this.#runner.traffic();
  }

  report(): CheckReport {
    if (this.#checking === undefined || this.#checker === undefined) {
      const message = "This world checks nothing: make its backend with sim({ mode: 'check' }).";
      throw new NcclError('NCCL_INVALID_USAGE', message);
    }
    return this.#checking.worldReport(
      this.#checker,
      this.#closed ? [] : this.#checker.leftovers(...this.#memory.shared),
    );
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    this.#checkOpen('alloc');
    const buffer = this.#memory.allocate(rank, bytes);
    this.#checker?.allocated(buffer.address, buffer.bytes);
    return buffer;
  }

  async free(buffer: DeviceBuffer): Promise<void> {
    if (!this.#closed) this.#memory.free(buffer);
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number, call?: SourceLocation): Promise<void> {
    this.#checkOpen('write');
    this.#memory.write(buffer, data, offset);
    this.#checker?.hostWrites(buffer.rank, this.#memory.addressOf(buffer) + offset, data.byteLength, call);
    this.#runner.memoryChanged();
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number, call?: SourceLocation): Promise<void> {
    this.#checkOpen('read');
    this.#runner.hostLooks(buffer.rank);
    this.#memory.read(buffer, into, offset);
    this.#checker?.hostReads(buffer.rank, this.#memory.addressOf(buffer) + offset, into.byteLength, call);
  }

  expose(buffer: DeviceBuffer, offset: number, bytes: number): ExposedMemory {
    this.#checkOpen('expose');
    if (this.#checker !== undefined) {
      throw new NcclError(
        'NCCLTS_NOT_SUPPORTED',
        "expose: with mode: 'check' the simulator must see what hosts do; copy with read() and write().",
      );
    }
    return { kind: 'bytes', bytes: this.#memory.expose(buffer, offset, bytes) };
  }

  async createGroup(members: readonly number[]): Promise<RankGroup> {
    this.#checkOpen('createGroup');
    this.#checker?.hostsMeet(members);
    return this.#memory.addGroup(members);
  }

  async registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    group?: RankGroup,
    name?: string,
  ): Promise<WindowHandle> {
    this.#checkOpen('registerWindow');
    this.#checker?.hostsMeet(group?.members);
    return this.#memory.addWindow(parts, bytes, flags, group, name);
  }

  async deregisterWindow(window: WindowHandle): Promise<void> {
    if (this.#closed) return;
    if (window instanceof SimWindow) {
      this.#checker?.endings.window(window, this.#done.size === this.topology.nRanks);
      this.#runner.forget(window);
    }
    this.#memory.removeWindow(window);
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    this.#checkOpen('devicePointer');
    return this.#memory.devicePointer(window, rank, peer, offset);
  }

  logicalEndpoint(window: WindowHandle, rank: number, peer: number | 'multicast', offset: number): HostEndpoint {
    this.#checkOpen('logicalEndpoint');
    return this.#memory.logicalEndpoint(window, rank, peer, offset);
  }

  multimemPointer(window: WindowHandle, rank: number, offset: number, base?: number): number | undefined {
    this.#checkOpen('multimemPointer');
    return this.#memory.multimemPointer(window, rank, offset, base);
  }

  async createDevComm(
    plan: DevCommPlan,
    teamRanks?: readonly (readonly number[])[],
    group?: RankGroup,
  ): Promise<DevCommHandle> {
    this.#checkOpen('createDevComm');
    const devComm = this.#memory.addDevComm(plan, teamRanks, group);
    for (const { address, bytes } of devComm.buffers) this.#checker?.given(address, bytes);
    this.#checker?.hostsMeet(group?.members);
    return devComm;
  }

  multimemBase(devComm: DevCommHandle, rank: number, team: number | 'lsa'): number {
    this.#checkOpen('multimemBase');
    return this.#memory.multimemBase(devComm, rank, team);
  }

  signalAddress(devComm: DevCommHandle, rank: number, context: number): number {
    this.#checkOpen('signalAddress');
    return this.#memory.signalAddress(devComm, rank, context);
  }

  async destroyDevComm(devComm: DevCommHandle): Promise<void> {
    if (this.#closed) return;
    if (devComm instanceof SimDevComm) {
      // Messages in flight must arrive, so that the remaining ones are known.
      this.#runner.forget(devComm.state);
      this.#checker?.endings.devComm(devComm);
    }
    this.#memory.removeDevComm(devComm);
  }

  memSyncDomainCount(): number {
    return MEM_SYNC_DOMAINS;
  }

  async createStream(rank: number, { memSyncDomainMap }: CreateStreamOptions = {}): Promise<StreamHandle> {
    this.#checkOpen('createStream');
    return this.#runner.createStream(rank, memSyncDomainMap);
  }

  async destroyStream(stream: StreamHandle): Promise<void> {
    if (!this.#closed) this.#runner.destroyStream(streamOf(stream));
  }

  async compile(module: ValidatedModule): Promise<Executable> {
    this.#checkOpen('compile');
    return new SimExecutable(module, this.#emit);
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.#checkOpen('launch');
    if (!(executable instanceof SimExecutable)) throw foreign('kernel');
    const stream = this.#runner.streamOf(config);
    cooperativeTooLarge(config, this.#residentCtas);
    checkClusterLaunch(config, executable.module.cluster, this.#residentCtas);
    if (this.#capture?.streams.includes(stream) === true) {
      this.#capture.launches.push({ executable, config, args });
      return;
    }
    const code = this.#collectives?.codeFor(stream.rank, config.work);
    if (code === undefined) this.#runner.launch(executable, config, args);
    else this.#runner.launchInstead(executable.module, config, code);
  }

  beginCapture(streams: readonly StreamHandle[]): void {
    this.#checkOpen('beginCapture');
    this.#capture = { streams: streams.map(streamOf), launches: [] };
  }

  endCapture(streams: readonly StreamHandle[]): GraphHandle {
    const { launches } = this.#capture ?? { launches: [] };
    this.#capture = undefined;
    return new SimGraph(
      streams.map(({ rank }) => rank),
      launches,
    );
  }

  launchGraph(graph: GraphHandle): void {
    this.#checkOpen('launchGraph');
    if (!(graph instanceof SimGraph)) throw foreign('graph');
    const { streams } = graph;
    const codes = graph.codes(this.#collectives);
    if (codes === undefined)
      for (const { executable, config, args } of graph.recorded) this.launch(executable, config, args);
    codes?.forEach((code, i) => {
      const { executable, config } = at(streams, i);
      this.#runner.launchInstead(executable.module, config, code);
    });
  }

  cancel(stream: StreamHandle, reason: Error): void {
    this.#checkOpen('cancel');
    this.#runner.cancel(streamOf(stream), aborted('The launch', reason));
  }

  async synchronize(stream: StreamHandle): Promise<LaunchReport> {
    this.#checkOpen('synchronize');
    const own = streamOf(stream);
    const report = await own.synchronize();
    this.#checker?.synchronized(own);
    return report;
  }

  hostChooses(): void {
    this.#checker?.order.determinacy?.doubts("a host's next step may depend on which of two operations ends first");
  }

  setHostState(rank: number, state: HostState): void {
    if (this.#closed) return;
    this.#runner.setHostState(rank, state);
    this.#hostIs(rank, state);
  }

  abort(reason: Error): void {
    const wrong = this.#closed ? undefined : wrongResultOf(reason);
    if (wrong !== undefined) this.#checker?.failed(wrong);
    if (!this.#closed) this.#runner.endAll(aborted('The launch', reason));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#runner.endAll(closed('synchronize'));
    this.#log?.flush();
    if (this.workers.threads > 1) await this.#runner.endThreads();
    // The contents of words are read while they exist.
    this.#checker?.settle();
    const [windows, devComms] = this.#memory.shared;
    for (const devComm of devComms) this.#checker?.endings.devComm(devComm);
    for (const window of windows) this.#checker?.endings.window(window, true);
    this.#runner.dispose();
    this.#collectives?.close();
    this.#memory.dispose();
    // The findings are kept, since the report of a closed world is the same.
    this.#checker?.order.shadow.dispose();
  }

  /** After the programs of all ranks have ended, their caller continues and knows it. */
  #hostIs(rank: number, state: HostState): void {
    if (state === 'done') this.#done.add(rank);
    else this.#done.delete(rank);
    if (this.#done.size === this.topology.nRanks) this.#checker?.hostsMeet();
  }

  #checkOpen(what: string): void {
    if (this.#closed) throw closed(what);
  }
}

/** False with checking or tracing, which concern kernels: then kernels do all the work. */
function isWithoutKernels({ engine, mode, trace, native = true }: SimWorldOptions): boolean {
  return native && engine === 'wasm' && mode === 'run' && trace === undefined;
}
