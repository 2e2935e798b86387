import type { ValidatedModule } from '@nccl-ts/ir';
import type { BackendWorld, Executable, GraphHandle, StreamHandle } from '@nccl-ts/transport';
import type { CudaSource } from '../cuda-source.ts';
import type { GraphKernelAttributes } from './cuda-graph.ts';
import type { NcclCollectiveCall } from './nccl-collective.ts';

/** How long the parts of opening a world took, in milliseconds. */
export interface OpenTimes {
  /** Finding and loading driver, toolkit and NCCL. */
  readonly platform: number;
  /** NCCL's own initialisation, in which CUDA makes the contexts of the GPUs that have none yet. */
  readonly communicators: number;
  /** Taking hold of the contexts. */
  readonly contexts: number;
  /** Waiting for the layouts of NCCL's structs, from the compiler or the cache. */
  readonly layout: number;
}

/** A point on a stream of one GPU, for timing. */
export interface EventHandle {
  readonly rank: number;
}

/** A world on GPUs. */
export interface CudaWorld extends BackendWorld {
  readonly openTimes: OpenTimes;
  /** The CUDA device of a rank of this process. */
  deviceOf(rank: number): number;
  /** `cudaStream_t` as a number, for what is not offered here. */
  nativeStream(stream: StreamHandle): number;
  /** `ncclComm_t` as a number. */
  nativeComm(rank: number): number;
  /**
   * Where the memory is that a window was made over, for an address in the window of the rank's
   * own. NCCL's own collectives know symmetric memory by these alone. Any other address stays as it
   * is.
   */
  memoryAddress(rank: number, address: number): number;
  /** `cudaGraph_t` as a number: the graph as it was recorded. */
  nativeGraph(graph: GraphHandle): number;
  /** What the kernels of a graph carry of the launches and streams that they were recorded from. */
  graphKernelAttributes(graph: GraphHandle): readonly GraphKernelAttributes[];
  /** Bytes of the GPU's memory that are free, and in all. */
  deviceMemory(rank: number): { readonly free: number; readonly total: number };
  /**
   * Compiles and loads CUDA C++ of one's own in place of what would be emitted for `module`, whose
   * parameters it has.
   *
   * @throws NcclError `NCCLTS_COMPILE`
   */
  compileSource(source: CudaSource, module: ValidatedModule): Promise<Executable>;
  /**
   * One of NCCL's own collectives, to compare with. Enqueues and returns; may be recorded. Memory
   * that is a window of this world is symmetric memory to NCCL, and everything else is not.
   *
   * @throws NcclError what NCCL says; `NCCL_INVALID_ARGUMENT` where there is not one part for each
   *   rank of this process.
   * @see ncclAllReduce and its kin
   */
  ncclCollective(call: NcclCollectiveCall): void;
  /** An event of a rank's GPU, for timing. Given back with the world at the latest. */
  createEvent(rank: number): EventHandle;
  destroyEvent(event: EventHandle): void;
  /** Sets the event behind all that was launched on the stream, which is of the same rank. */
  recordEvent(event: EventHandle, stream: StreamHandle): void;
  /** Milliseconds between two events of one GPU, both of which the GPU has passed. */
  elapsedMilliseconds(start: EventHandle, end: EventHandle): number;
  memSyncDomainCount(rank: number): number;
  beginCapture(streams: readonly StreamHandle[]): void;
  endCapture(streams: readonly StreamHandle[]): GraphHandle;
  launchGraph(graph: GraphHandle): void;
  destroyGraph(graph: GraphHandle): Promise<void>;
}
