import { NcclError } from '@nccl-ts/core';
import type { GraphHandle, MemSyncDomainMap } from '@nccl-ts/transport';
import {
  CU_EVENT_DISABLE_TIMING,
  CU_STREAM_CAPTURE_MODE_RELAXED,
  cuLaunchAttribute,
  cuMemSyncDomain,
  cuResult,
} from '../ffi/cu-constants.ts';
import type { NativeFunction } from '../ffi/koffi.ts';
import type { CudaStream, Launched } from './cuda-stream.ts';

/** `CU_GRAPH_NODE_TYPE_KERNEL` */
const kernelNode = 0;

/** The attributes of a kernel in a graph: its launch's domain, and the map of its stream. */
export interface GraphKernelAttributes {
  readonly memSyncDomain: 'default' | 'remote';
  readonly memSyncDomainMap: MemSyncDomainMap;
  readonly cooperative: boolean;
}

/** A launch that was recorded. */
export interface RecordedLaunch {
  readonly stream: CudaStream;
  readonly kernel: Launched;
}

/**
 * A recording in progress over streams of one or more GPUs, which contains the launches on them.
 */
export class Capture {
  readonly streams: readonly CudaStream[];
  readonly launches: RecordedLaunch[] = [];
  readonly #events: readonly number[];

  /** Begins it on the first stream, from which the others fork. */
  constructor(streams: readonly CudaStream[]) {
    this.streams = streams;
    const [origin, ...others] = streams;
    if (origin === undefined) throw new NcclError('NCCL_INVALID_ARGUMENT', 'A graph needs at least one stream.');
    const { driver } = origin.device;
    this.#events = streams.map(({ device }) => {
      device.makeCurrent();
      return driver.createEvent(CU_EVENT_DISABLE_TIMING);
    });
    origin.device.makeCurrent();
    driver.check('cuStreamBeginCapture_v2', origin.handle, CU_STREAM_CAPTURE_MODE_RELAXED);
    driver.check('cuEventRecord', this.#eventOf(0), origin.handle);
    for (const other of others) {
      other.device.makeCurrent();
      driver.check('cuStreamWaitEvent', other.handle, this.#eventOf(0), 0);
    }
  }

  /** Joins the streams and makes the graph. */
  end(): CudaGraph {
    const [origin, ...others] = this.streams;
    if (origin === undefined) throw new RangeError('A graph without streams.');
    const { driver } = origin.device;
    let graph = 0;
    try {
      for (const [i, other] of others.entries()) {
        other.device.makeCurrent();
        driver.check('cuEventRecord', this.#eventOf(i + 1), other.handle);
        origin.device.makeCurrent();
        driver.check('cuStreamWaitEvent', origin.handle, this.#eventOf(i + 1), 0);
      }
      origin.device.makeCurrent();
      graph = driver.endCapture(origin.handle);
      const executable = driver.handle('cuGraphInstantiateWithFlags', graph, 0);
      driver.check('cuGraphUpload', executable, origin.handle);
      return new CudaGraph(this.streams, this.launches, graph, executable, this.#events);
    } catch (error) {
      this.#cancel(graph);
      throw error;
    }
  }

  #eventOf(index: number): number {
    const event = this.#events[index];
    if (event === undefined) throw new RangeError('A stream without an event.');
    return event;
  }

  #cancel(graph: number): void {
    const { driver } = this.streams[0]?.device ?? missing();
    const half = new BigUint64Array(1);
    if (graph !== 0) driver.call('cuGraphDestroy', graph);
    else driver.call('cuStreamEndCapture', this.streams[0]?.handle, half);
    for (const event of this.#events) driver.call('cuEventDestroy_v2', event);
  }
}

function missing(): never {
  throw new RangeError('A graph without streams.');
}

/** Recorded launches of one or more GPUs, launched as one. */
export class CudaGraph implements GraphHandle {
  readonly streams: readonly CudaStream[];
  readonly recorded: readonly RecordedLaunch[];
  readonly ranks: readonly number[];
  readonly launches: number;
  /** The graph itself, whose nodes can be read. */
  readonly graph: number;
  readonly #executable: number;
  readonly #events: readonly number[];
  readonly #launch: NativeFunction;
  readonly #record: NativeFunction;
  readonly #wait: NativeFunction;
  #isOpen = true;

  constructor(
    streams: readonly CudaStream[],
    recorded: readonly RecordedLaunch[],
    graph: number,
    executable: number,
    events: readonly number[],
  ) {
    this.streams = streams;
    this.recorded = recorded;
    this.ranks = streams.map(({ rank }) => rank);
    this.launches = recorded.length;
    this.graph = graph;
    this.#executable = executable;
    this.#events = events;
    const { driver } = streams[0]?.device ?? missing();
    this.#launch = driver.native('cuGraphLaunch');
    this.#record = driver.native('cuEventRecord');
    this.#wait = driver.native('cuStreamWaitEvent');
  }

  /**
   * Launches it on the first stream. The other streams wait for its end, and it waits for their
   * pending work.
   */
  launch(): void {
    const [origin, ...others] = this.streams;
    if (origin === undefined) return missing();
    const { driver } = origin.device;
    const check = (call: string, result: unknown): void => {
      if (result !== cuResult.success) throw driver.failure(call, Number(result));
    };
    for (const [i, other] of others.entries()) {
      if (other.isQuiet) continue;
      const event = this.#events[i + 1];
      other.device.makeCurrent();
      check('cuEventRecord', this.#record(event, other.handle));
      check('cuStreamWaitEvent', this.#wait(origin.handle, event, 0));
    }
    origin.device.makeCurrent();
    origin.beforeLaunch();
    check('cuGraphLaunch', this.#launch(this.#executable, origin.handle));
    for (const { stream, kernel } of this.recorded) stream.launched(kernel);
    if (others.length === 0) return;
    check('cuEventRecord', this.#record(this.#events[0], origin.handle));
    for (const other of others) other.follow(this.#events[0] ?? 0);
  }

  /** The launch attributes that the driver put into the graph's kernels, in no particular order. */
  kernelAttributes(): readonly GraphKernelAttributes[] {
    const { driver } = this.streams[0]?.device ?? missing();
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
    const { driver } = this.streams[0]?.device ?? missing();
    for (const stream of this.streams) stream.keepFollowing(this.#events[0]);
    driver.check('cuGraphExecDestroy', this.#executable);
    driver.check('cuGraphDestroy', this.graph);
    for (const event of this.#events) driver.check('cuEventDestroy_v2', event);
  }
}
