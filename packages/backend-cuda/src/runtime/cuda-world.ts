import type { ValidatedModule } from '@nccl-ts/ir';
import type { BackendWorld, Executable, GraphHandle, StreamHandle } from '@nccl-ts/transport';
import type { CudaSource } from '../cuda-source.ts';
import type { GraphKernelAttributes } from './cuda-graph.ts';
import type { NcclCollectiveCall } from './nccl-collective.ts';

/** The durations of the steps of opening a world, in milliseconds. */
export interface OpenTimes {
  /** Finding and loading driver, toolkit and NCCL. */
  readonly platform: number;
  /** NCCL's own initialisation, in which CUDA makes missing contexts of the GPUs. */
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
  /** `cudaStream_t` as a number, for operations outside this package. */
  nativeStream(stream: StreamHandle): number;
  /** `ncclComm_t` as a number. */
  nativeComm(rank: number): number;
  /**
   * The address of a window's memory, for an address in the rank's own window. NCCL's own
   * collectives recognise symmetric memory only by these. Any other address stays the same.
   */
  memoryAddress(rank: number, address: number): number;
  /** `cudaGraph_t` as a number: the graph as it was recorded. */
  nativeGraph(graph: GraphHandle): number;
  /** The attributes that a graph's kernels have from their recorded launches and streams. */
  graphKernelAttributes(graph: GraphHandle): readonly GraphKernelAttributes[];
  /** Bytes of the GPU's memory that are free, and in all. */
  deviceMemory(rank: number): { readonly free: number; readonly total: number };
  /**
   * Compiles and loads the caller's own CUDA C++ instead of the emitted text of `module`, with the
   * same parameters.
   *
   * @throws NcclError `NCCLTS_COMPILE`
   */
  compileSource(source: CudaSource, module: ValidatedModule): Promise<Executable>;
  /**
   * Calls one of NCCL's own collectives, for comparisons. Enqueues and returns; can be recorded.
   * Only memory in a window of this world is symmetric memory to NCCL.
   *
   * @throws NcclError what NCCL says; `NCCL_INVALID_ARGUMENT` if there is not one part for each
   *   rank of this process.
   * @see ncclAllReduce and its kin
   */
  ncclCollective(call: NcclCollectiveCall): void;
  /** An event of a rank's GPU, for timing. Freed with the world at the latest. */
  createEvent(rank: number): EventHandle;
  destroyEvent(event: EventHandle): void;
  /** Records the event after all launches on the stream, which belongs to the same rank. */
  recordEvent(event: EventHandle, stream: StreamHandle): void;
  /** Milliseconds between two events of one GPU, both of which the GPU has passed. */
  elapsedMilliseconds(start: EventHandle, end: EventHandle): number;
  memSyncDomainCount(rank: number): number;
  beginCapture(streams: readonly StreamHandle[]): void;
  endCapture(streams: readonly StreamHandle[]): GraphHandle;
  launchGraph(graph: GraphHandle): void;
  destroyGraph(graph: GraphHandle): Promise<void>;
}
