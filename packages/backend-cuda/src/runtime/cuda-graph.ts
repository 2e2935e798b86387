import { NcclError } from '@nccl-ts/core';
import type { GraphHandle, MemSyncDomainMap } from '@nccl-ts/transport';
import { CU_STREAM_CAPTURE_MODE_RELAXED, cuLaunchAttribute, cuMemSyncDomain } from '../ffi/cu-constants.ts';
import type { CudaStream, Launched } from './cuda-stream.ts';
import { GraphStreams } from './graph-streams.ts';

/** `CU_GRAPH_NODE_TYPE_KERNEL` */
const kernelNode = 0;

/** The attributes of a kernel in a graph: the domain of its launch, and the map of its stream. */
export interface GraphKernelAttributes {
  readonly memSyncDomain: 'default' | 'remote';
  readonly memSyncDomainMap: MemSyncDomainMap;
  readonly cooperative: boolean;
}

/** A recorded launch. */
export interface RecordedCudaLaunch {
  readonly stream: CudaStream;
  readonly kernel: Launched;
}

/** A recording in progress over streams of one or more GPUs, with the launches on them. */
export class Capture {
  readonly streams: readonly CudaStream[];
  readonly launches: RecordedCudaLaunch[] = [];
  readonly #at: GraphStreams;

  /** Begins the recording on the first stream, from which the others fork. */
  constructor(streams: readonly CudaStream[]) {
    this.streams = streams;
    const [origin, ...others] = streams;
    if (origin === undefined) throw new NcclError('NCCL_INVALID_ARGUMENT', 'A graph needs at least one stream.');
    const { driver } = origin.device;
    this.#at = new GraphStreams(streams);
    origin.device.makeCurrent();
    driver.check('cuStreamBeginCapture_v2', origin.handle, CU_STREAM_CAPTURE_MODE_RELAXED);
    driver.check('cuEventRecord', this.#at.eventOf(0), origin.handle);
    for (const other of others) {
      other.device.makeCurrent();
      driver.check('cuStreamWaitEvent', other.handle, this.#at.eventOf(0), 0);
    }
  }

  /** Joins the streams and creates the graph. */
  end(): CudaGraph {
    const [origin, ...others] = this.streams;
    if (origin === undefined) throw new RangeError('A graph needs at least one stream.');
    const { driver } = origin.device;
    let graph = 0;
    try {
      for (const [i, other] of others.entries()) {
        other.device.makeCurrent();
        driver.check('cuEventRecord', this.#at.eventOf(i + 1), other.handle);
        origin.device.makeCurrent();
        driver.check('cuStreamWaitEvent', origin.handle, this.#at.eventOf(i + 1), 0);
      }
      origin.device.makeCurrent();
      graph = driver.endCapture(origin.handle);
      const executable = driver.handle('cuGraphInstantiateWithFlags', graph, 0);
      driver.check('cuGraphUpload', executable, origin.handle);
      return new CudaGraph(this.#at, this.launches, graph, executable);
    } catch (error) {
      this.#cancel(graph);
      throw error;
    }
  }

  #cancel(graph: number): void {
    const { driver } = this.#at.origin.device;
    const half = new BigUint64Array(1);
    if (graph !== 0) driver.call('cuGraphDestroy', graph);
    else driver.call('cuStreamEndCapture', this.#at.origin.handle, half);
    for (const event of this.#at.events) driver.call('cuEventDestroy_v2', event);
  }
}

/** Recorded launches on one or more GPUs, which are launched together. */
export class CudaGraph implements GraphHandle {
  readonly streams: readonly CudaStream[];
  readonly recorded: readonly RecordedCudaLaunch[];
  readonly ranks: readonly number[];
  readonly launches: number;
  /** The graph itself, whose nodes can be read. */
  readonly graph: number;
  readonly #executable: number;
  readonly #at: GraphStreams;
  #isOpen = true;

  constructor(at: GraphStreams, recorded: readonly RecordedCudaLaunch[], graph: number, executable: number) {
    this.#at = at;
    this.streams = at.streams;
    this.recorded = recorded;
    this.ranks = at.streams.map(({ rank }) => rank);
    this.launches = recorded.length;
    this.graph = graph;
    this.#executable = executable;
  }

  /**
   * Launches it on the first stream. It waits for the pending work of the other streams, and their
   * later work waits for its end.
   */
  launch(): void {
    this.#at.launch(this.#executable);
    for (const { stream, kernel } of this.recorded) stream.launched(kernel);
  }

  /**
   * Returns the launch attributes that the driver put into the graph's kernels, in no particular
   * order.
   */
  kernelAttributes(): readonly GraphKernelAttributes[] {
    const { driver } = this.#at.origin.device;
    const value = new DataView(new ArrayBuffer(64));
    const attribute = (node: number, id: number): DataView => {
      driver.check('cuGraphKernelNodeGetAttribute', node, id, value);
      return value;
    };
    return driver
      .graphNodes(this.graph)
      .filter((node) => driver.graphNodeType(node) === kernelNode)
      .map((node) => {
        const domain = attribute(node, cuLaunchAttribute.memSyncDomain).getUint32(0, true);
        const map = attribute(node, cuLaunchAttribute.memSyncDomainMap);
        return {
          memSyncDomain: domain === cuMemSyncDomain.remote ? 'remote' : 'default',
          memSyncDomainMap: { default: map.getUint8(0), remote: map.getUint8(1) },
          cooperative: attribute(node, cuLaunchAttribute.cooperative).getUint32(0, true) !== 0,
        };
      });
  }

  destroy(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { driver } = this.#at.origin.device;
    driver.check('cuGraphExecDestroy', this.#executable);
    driver.check('cuGraphDestroy', this.graph);
    this.#at.destroy();
  }
}
