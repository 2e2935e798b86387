import { collectiveShapes, debugLog, NcclError, RedOp } from '@nccl-ts/core';
import type {
  CreateStreamOptions,
  Executable,
  GraphHandle,
  KernelArg,
  LaunchConfig,
  LaunchReport,
  StreamHandle,
} from '@nccl-ts/transport';
import { cuLaunchAttribute } from '../ffi/cu-constants.ts';
import type { CudaDriver } from '../ffi/cuda-driver.ts';
import { domainMapWord } from '../ffi/launch-struct.ts';
import type { NcclLibrary } from '../ffi/nccl-library.ts';
import { AbortWords } from './abort-words.ts';
import type { CudaDevice } from './cuda-device.ts';
import { Capture, type CudaGraph } from './cuda-graph.ts';
import type { CudaExecutable } from './cuda-executable.ts';
import { CudaStream, type Launched } from './cuda-stream.ts';
import { aborted } from './errors.ts';
import { cudaExecutable, cudaGraph, cudaStream } from './handles.ts';
import { driverAttributes } from './launch-attributes.ts';
import { nativeCollectives, type NcclCollectiveCall } from './nccl-collective.ts';
import type { Poller } from './poller.ts';
import type { WorldHealth } from './world-health.ts';
import type { LocalRank } from './local-rank.ts';

export interface WorldLaunchesInit {
  readonly driver: CudaDriver;
  readonly poller: Poller;
  readonly health: WorldHealth;
  /** The time limit in milliseconds; infinity for none. */
  readonly timeout: number;
}

/** The running work of a world: streams, their launches, and graphs. */
export class WorldLaunches {
  readonly #init: WorldLaunchesInit;
  readonly #abortWords: AbortWords;
  readonly #streams = new Set<CudaStream>();
  readonly #graphs = new Set<CudaGraph>();
  readonly #captures = new Map<CudaStream, Capture>();
  #streamsMade = 0;

  constructor(init: WorldLaunchesInit) {
    this.#init = init;
    this.#abortWords = new AbortWords(init.driver);
  }

  createStream(device: CudaDevice, { memSyncDomainMap }: CreateStreamOptions): CudaStream {
    device.makeCurrent();
    const stream = new CudaStream({
      device,
      number: this.#streamsMade++,
      poller: this.#init.poller,
      abortWord: this.#abortWords.take(),
      timeout: this.#init.timeout,
      onFault: (error) => this.#init.health.lost(error),
    });
    this.#streams.add(stream);
    if (memSyncDomainMap !== undefined) {
      const value = new Uint32Array(16);
      value[0] = domainMapWord(memSyncDomainMap);
      device.driver.check('cuStreamSetAttribute', stream.handle, cuLaunchAttribute.memSyncDomainMap, value);
    }
    return stream;
  }

  /** True if abandoned kernels may still use the world's resources. */
  get hasAbandoned(): boolean {
    return [...this.#streams].some((stream) => stream.isAbandoned);
  }

  destroyStream(stream: CudaStream): void {
    if (stream.isAbandoned || !this.#streams.delete(stream)) return;
    stream.destroy();
    this.#abortWords.giveBack(stream.abortWord);
  }

  launch(handle: Executable, config: LaunchConfig, args: readonly KernelArg[]): void {
    const executable = cudaExecutable(handle);
    const stream = cudaStream(config.stream);
    // Work after a failure does not run until a synchronization has reported the failure.
    if (stream.failure !== undefined) return;
    const { signal } = config;
    if (signal?.aborted === true) {
      stream.fail(aborted(`The launch of kernel '${executable.name}'`, signal.reason));
      return;
    }
    const capture = this.#captures.size === 0 ? undefined : this.#captures.get(stream);
    if (capture !== undefined) {
      this.#hand(executable, stream, config, args);
      capture.launches.push({ stream, kernel: executable });
      return;
    }
    stream.beforeLaunch();
    this.#hand(executable, stream, config, args);
    stream.launched(executable);
    if (signal !== undefined) stream.watch(signal, `The launch of kernel '${executable.name}'`);
  }

  /** Passes a launch to the driver. @throws NcclError with the driver's immediate error */
  #hand(
    executable: CudaExecutable,
    stream: CudaStream,
    { grid, block, attributes: requested }: LaunchConfig,
    args: readonly KernelArg[],
  ): void {
    try {
      const overlaps = executable.waitsForEarlier && stream.device.canOverlap;
      const attributes = driverAttributes(requested, overlaps);
      const slot = executable.slot(stream.rank);
      if (executable.waitsForOthers && stream.device.sharing > 1) slot.residency.check(executable.name, grid, block);
      slot.launch(stream, grid, block, attributes, args);
    } catch (error) {
      throw this.#explained(error, executable.name, stream);
    }
  }

  async synchronize(stream: CudaStream): Promise<LaunchReport> {
    return this.#init.health.guarded(async () => stream.synchronize());
  }

  beginCapture(handles: readonly StreamHandle[]): void {
    const streams = handles.map(cudaStream);
    for (const stream of streams) {
      stream.recordEnd();
      stream.keepFollowing();
    }
    const capture = new Capture(streams);
    for (const stream of streams) this.#captures.set(stream, capture);
  }

  endCapture(handles: readonly StreamHandle[]): CudaGraph {
    const [first] = handles;
    const capture = first === undefined ? undefined : this.#captures.get(cudaStream(first));
    if (capture === undefined) throw new NcclError('NCCL_INVALID_USAGE', 'endCapture: the stream has no recording.');
    for (const stream of capture.streams) this.#captures.delete(stream);
    const graph = capture.end();
    this.#graphs.add(graph);
    return graph;
  }

  launchGraph(handle: GraphHandle): void {
    const graph = cudaGraph(handle);
    if (graph.streams.some(({ failure }) => failure !== undefined)) return;
    graph.launch();
  }

  destroyGraph(graph: CudaGraph): void {
    if (this.#graphs.delete(graph)) graph.destroy();
  }

  /** Enqueues one of NCCL's own collectives on the ranks of this process. */
  ncclCollective(nccl: NcclLibrary, locals: readonly LocalRank[], call: NcclCollectiveCall): void {
    const { collective, count, dataType, op = RedOp.Sum, root = 0, parts } = call;
    const name = nativeCollectives[collective];
    if (name === undefined) throw new NcclError('NCCLTS_NOT_SUPPORTED', `NCCL has no collective ${collective}.`);
    if (parts.length !== locals.length) {
      throw new NcclError(
        'NCCL_INVALID_ARGUMENT',
        `${name}: there are ${locals.length} ranks but ${parts.length} parts.`,
      );
    }
    const { reduces, rooted } = collectiveShapes[collective];
    const own = [...(reduces ? [op] : []), ...(rooted ? [root] : [])];
    const launched: Launched = { name, abortable: false, prints: false };
    nccl.group(() => {
      for (const [i, { device, comm }] of locals.entries()) {
        const { send, recv, stream: handle } = parts[i] ?? missing();
        const stream = cudaStream(handle);
        const capture = this.#captures.get(stream);
        if (capture === undefined) stream.beforeLaunch();
        device.makeCurrent();
        nccl.check(name, send, recv, count, dataType, ...own, comm, stream.handle);
        if (capture === undefined) stream.launched(launched);
        else capture.launches.push({ stream, kernel: launched });
      }
    });
  }

  /** Ends abortable work. Pending waits reject. */
  cancel(error: NcclError): void {
    for (const stream of this.#streams) stream.cancel(error);
  }

  /** Waits for kernels to end. Returns the streams on which some did not. */
  async settle(milliseconds: number): Promise<readonly CudaStream[]> {
    const until = performance.now() + milliseconds;
    const running = (): readonly CudaStream[] => [...this.#streams].filter((stream) => !stream.isIdle());
    await this.#init.poller
      .wait({ poll: () => performance.now() > until || running().length === 0 })
      .catch((error: unknown) => debugLog('cuda', () => `while closing: ${String(error)}`));
    return running();
  }

  /** Frees graphs and streams, after all work has ended. */
  dispose(): void {
    for (const graph of this.#graphs) graph.destroy();
    for (const stream of this.#streams) stream.destroy();
    this.#abortWords.dispose();
  }

  #explained(error: unknown, kernel: string, stream: CudaStream): unknown {
    if (!(error instanceof NcclError)) return error;
    const where = `Launch of kernel '${kernel}' on rank ${stream.rank} (GPU ${stream.device.ordinal})`;
    const { code, message, details } = error;
    return this.#init.health.lost(
      new NcclError(code, `${where}: ${message}`, { cause: error, details: { ...details, kernel } }),
    );
  }
}

function missing(): never {
  throw new RangeError('A rank lacks its part.');
}
