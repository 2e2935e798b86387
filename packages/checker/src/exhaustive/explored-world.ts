import { NcclError, type Timeline } from '@nccl-ts/core';
import type { DevCommPlan, ResourceSupport } from '@nccl-ts/devcomm';
import type { Approximations, CheckReport } from '@nccl-ts/findings';
import type { SourceLocation, ValidatedModule } from '@nccl-ts/ir';
import type { ExecutionSpace, Run } from '@nccl-ts/memory-model';
import type { Topology } from '@nccl-ts/topology';
import type {
  BufferPart,
  CreateStreamOptions,
  DevCommHandle,
  DeviceBuffer,
  Executable,
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
import {
  checkClusterLaunch,
  cooperativeTooLarge,
  domainOf,
  MEM_SYNC_DOMAINS,
  aborted,
  closed,
  foreign,
  argValue,
  SimWorldMemory,
  endpointsOf,
  type ResolvedSimOptions,
  noLines,
  type EarlierRun,
  type SeenLines,
  noEarlierRun,
  LaunchScope,
  StreamPlaces,
} from '@nccl-ts/backend-sim/internal';
import type { SimWorkers, SimWorld } from '@nccl-ts/backend-sim';
import { ByteRanges } from './byte-ranges.ts';
import { readBits } from './element.ts';
import { ConcurrentCtas } from './concurrent-ctas.ts';
import { ExploredFabric } from './explored-fabric.ts';
import { ExploredLaunch } from './explored-launch.ts';
import { ExploredNetwork } from './explored-network.ts';
import { HostBeginnings } from './host-beginnings.ts';
import { ExploredRunner, ExploredStream } from './explored-runner.ts';
import { Participants } from './participants.ts';
import type { LinkTraffic } from '@nccl-ts/cost-model';

export interface ExploredWorldInit {
  readonly topology: Topology;
  readonly options: ResolvedSimOptions;
  readonly space: ExecutionSpace;
  readonly run: Run;
  /** The words that hosts copy and other ranks access, as far as earlier executions have shown. */
  readonly crossed: Set<number>;
  readonly onStall: (error: Error | undefined) => void;
  readonly onUnsupported: (what: string) => void;
  /** Receives what is executed and not modelled exactly. */
  readonly approximations: Approximations;
}

/**
 * A world in one of its executions. The execution defines its memory, and the heap has the initial
 * content.
 */
export class ExploredWorld implements SimWorld {
  readonly topology: Topology;
  readonly localRanks: readonly number[];
  readonly support: ResourceSupport;
  readonly participants: Participants = new Participants();
  readonly memory: SimWorldMemory;
  readonly #network: ExploredNetwork;
  readonly #fabric: ExploredFabric;
  readonly runner: ExploredRunner;
  readonly scope: LaunchScope;
  /** Mismatched calls of ranks, reported by packages above. */
  readonly misuses: RankMisuse[] = [];
  readonly #init: ExploredWorldInit;
  readonly #beginnings: HostBeginnings;
  /** The bytes that have contents before the first launch. */
  readonly #contents = new ByteRanges();
  readonly #concurrent = new ConcurrentCtas<ExploredStream>();
  #launches = 0;
  readonly streams: StreamPlaces = new StreamPlaces();
  /** The number of launches of each rank. */
  readonly #launchesOf = new Map<number, number>();
  #ctas = 0;
  #closed = false;

  constructor(init: ExploredWorldInit) {
    const { topology, options, space, run, onStall } = init;
    this.#init = init;
    this.topology = topology;
    this.localRanks = Object.freeze(Array.from({ length: topology.nRanks }, (_, rank) => rank));
    this.memory = new SimWorldMemory(topology, options.memoryBytes, options.multimem);
    this.scope = new LaunchScope((address) => this.memory.byteAt(address));
    this.#network = new ExploredNetwork({
      participants: this.participants,
      run,
      isSignal: (at) => this.memory.byteAt(at)?.isGinState === true,
    });
    this.#fabric = new ExploredFabric(this.participants, run, this.memory.endpoints);
    this.support = Object.freeze({
      symmetric: options.symmetric,
      multimem: options.multimem,
      gin: options.gin.connection,
      cft: endpointsOf(options),
    });
    this.runner = new ExploredRunner({ ranks: topology.nRanks, space, run, participants: this.participants, onStall });
    this.#beginnings = new HostBeginnings(init.crossed, {
      begin: (at, bytes) => {
        this.memory.heap.views.u8.set(bytes, at);
        this.#contents.add(at, bytes.length);
      },
      write: (rank, at, bytes, site) => this.runner.hostWrites(rank, at, bytes, site),
    });
  }

  misused(misuse: RankMisuse): void {
    this.misuses.push(misuse);
  }

  readonly eventHash = 0;
  readonly leansOnHardware = false;
  readonly hasForgotten = false;
  readonly lines: SeenLines = noLines;
  /** An execution needs no further run. */
  readonly seen: EarlierRun = noEarlierRun;
  readonly turns = 0;
  readonly workers: SimWorkers = Object.freeze({ threads: 1, note: undefined });

  get launches(): number {
    return this.#launches;
  }

  timeline(): Timeline {
    throw new NcclError('NCCL_INVALID_USAGE', 'An explored world has no timeline.');
  }

  traffic(): readonly LinkTraffic[] {
    throw new NcclError('NCCL_INVALID_USAGE', 'An explored world counts no traffic.');
  }

  report(): CheckReport {
    throw new NcclError('NCCL_INVALID_USAGE', 'The findings of an exploration are in the result of explore().');
  }

  /** True if all these bytes have their contents from the beginning. */
  hasContents(at: number, bytes: number): boolean {
    return this.#contents.has(at, bytes);
  }

  /** Returns the initial value at an address. */
  initialValue(at: number, bytes: number): bigint {
    const { buffer } = this.memory.heap.views.u8;
    return at + bytes > buffer.byteLength ? 0n : readBits(new DataView(buffer, at, bytes), bytes);
  }

  async alloc(rank: number, bytes: number): Promise<DeviceBuffer> {
    this.#checkOpen('alloc');
    return this.memory.allocate(rank, bytes);
  }

  // Addresses are not reused, because an execution includes the accesses to freed memory.
  async free(): Promise<void> {
    await Promise.resolve();
  }

  async write(buffer: DeviceBuffer, data: ArrayBufferView, offset: number, call?: SourceLocation): Promise<void> {
    this.#checkOpen('write');
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const site = this.participants.hostSite(call);
    this.#beginnings.write(buffer.rank, this.memory.addressOf(buffer) + offset, bytes, site);
  }

  async read(buffer: DeviceBuffer, into: ArrayBufferView, offset: number, call?: SourceLocation): Promise<void> {
    this.#checkOpen('read');
    const at = this.memory.addressOf(buffer) + offset;
    const words = this.#beginnings.read(buffer.rank, at, into.byteLength);
    this.memory.read(buffer, into, offset);
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength);
    if (words.length > 0) {
      await this.runner.hostReads(buffer.rank, { words, site: this.participants.hostSite(call) }, at, bytes);
    }
  }

  async registerWindow(
    parts: readonly BufferPart[],
    bytes: number,
    flags: WindowFlags,
    _group?: RankGroup,
    name?: string,
  ): Promise<WindowHandle> {
    this.#checkOpen('registerWindow');
    this.#hostsMeet();
    return this.memory.addWindow(parts, bytes, flags, undefined, name);
  }

  async deregisterWindow(): Promise<void> {
    // Kernels that other executions would still run may hold pointers to it.
    await Promise.resolve();
  }

  devicePointer(window: WindowHandle, rank: number, peer: number, offset: number): number | undefined {
    return this.memory.devicePointer(window, rank, peer, offset);
  }

  logicalEndpoint(window: WindowHandle, rank: number, peer: number | 'multicast', offset: number): HostEndpoint {
    return this.memory.logicalEndpoint(window, rank, peer, offset);
  }

  multimemPointer(window: WindowHandle, rank: number, offset: number, base?: number): number | undefined {
    return this.memory.multimemPointer(window, rank, offset, base);
  }

  async createDevComm(plan: DevCommPlan, teamRanks?: readonly (readonly number[])[]): Promise<DevCommHandle> {
    this.#checkOpen('createDevComm');
    this.#hostsMeet();
    const devComm = this.memory.addDevComm(plan, teamRanks);
    for (const { address, bytes } of devComm.buffers) this.#contents.add(address, bytes);
    return devComm;
  }

  multimemBase(devComm: DevCommHandle, rank: number, team: number | 'lsa'): number {
    return this.memory.multimemBase(devComm, rank, team);
  }

  signalAddress(devComm: DevCommHandle, rank: number, context: number): number {
    return this.memory.signalAddress(devComm, rank, context);
  }

  async destroyDevComm(): Promise<void> {
    await Promise.resolve();
  }

  memSyncDomainCount(): number {
    return MEM_SYNC_DOMAINS;
  }

  async createStream(rank: number, { memSyncDomainMap }: CreateStreamOptions = {}): Promise<StreamHandle> {
    this.#checkOpen('createStream');
    return this.runner.createStream(rank, memSyncDomainMap);
  }

  async destroyStream(): Promise<void> {
    await Promise.resolve();
  }

  async compile(module: ValidatedModule): Promise<Executable> {
    this.#checkOpen('compile');
    return new ExploredExecutable(module);
  }

  launch(executable: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    this.#checkOpen('launch');
    if (!(executable instanceof ExploredExecutable)) throw foreign('kernel');
    this.#beginnings.start();
    const { stream, grid, block, attributes } = config;
    const own = streamOf(stream);
    const { memory, participants } = this;
    const { options, onUnsupported, approximations, run } = this.#init;
    cooperativeTooLarge(config, options.residentCtas);
    checkClusterLaunch(config, executable.module.cluster, options.residentCtas);
    const ctas = grid.x * grid.y * grid.z;
    const mayBeginEarly = attributes?.programmaticStreamSerialization === true;
    const atOnce = this.#concurrent.add(own.rank, own, ctas, mayBeginEarly);
    if (atOnce > options.residentCtas) {
      const what = ctas > options.residentCtas ? 'a grid' : 'grids at the same time';
      onUnsupported(`${what} of more CTAs than can be resident (${options.residentCtas})`);
    }
    const ordinal = (this.#launchesOf.get(own.rank) ?? 0) + 1;
    this.#launchesOf.set(own.rank, ordinal);
    const id = this.#launches++;
    this.streams.add({ id, stream: own, mayBeginEarly });
    const launch = new ExploredLaunch({
      id,
      purpose: config.label ?? `launch ${ordinal}`,
      module: executable.module,
      rank: own.rank,
      grid,
      block,
      args: args.map((arg) => argValue(arg, own.rank, memory.space)),
      domain: domainOf(own.domains, attributes),
      previous: own.launches.at(-1),
      mayBeginEarly,
      memory,
      network: this.#network,
      fabric: this.#fabric,
      run,
      participants,
      fuel: options.fuel,
      firstCta: this.#ctas,
      onUnsupported,
      onWait: (site) => this.scope.waitsAt(site),
      approximations,
    });
    this.scope.add({ ranks: this.topology.nRanks, ctas, threads: block.x * block.y * block.z });
    this.#ctas += ctas;
    this.runner.launch(own, launch);
  }

  async synchronize(stream: StreamHandle): Promise<LaunchReport> {
    this.#checkOpen('synchronize');
    return this.runner.synchronize(streamOf(stream));
  }

  hostChooses(): void {
    this.#init.onUnsupported('a host whose next step may depend on which of two operations ends first');
  }

  setHostState(rank: number, state: HostState): void {
    if (this.#closed) return;
    this.runner.setHostState(rank, state);
    // Once the programs of all ranks have ended, their caller continues after all of them.
    if (this.runner.areHostsDone) this.#hostsMeet();
  }

  /**
   * True if a host and another rank access the same memory in this execution, and this was not
   * known. Then all executions must be explored again.
   */
  learnsOfHosts(): boolean {
    return this.#beginnings.learn(this.#init.run);
  }

  abort(reason: Error): void {
    if (!this.#closed) this.runner.end(aborted('The launch', reason));
  }

  /** Closes the world. The execution's state is kept until `release`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.runner.end(closed('synchronize'));
    await Promise.resolve();
  }

  /** Releases the memory. */
  release(): void {
    this.runner.dispose();
    this.memory.dispose();
  }

  #hostsMeet(): void {
    this.#beginnings.meet();
    this.runner.hostsMeet();
  }

  #checkOpen(what: string): void {
    if (this.#closed) throw closed(what);
  }
}

/** A kernel that runs unchanged. */
class ExploredExecutable implements Executable {
  readonly name: string;
  readonly module: ValidatedModule;
  readonly artifacts: Executable['artifacts'] = [];

  constructor(module: ValidatedModule) {
    this.name = module.name;
    this.module = module;
  }
}

function streamOf(stream: StreamHandle): ExploredStream {
  if (stream instanceof ExploredStream) return stream;
  throw foreign('stream');
}
