import type { ValidatedModule } from '@nccl-ts/ir';
import type { BackendWorld, Executable, GraphHandle, StreamHandle } from '@nccl-ts/transport';
import type { CudaSource } from '../cuda-source.ts';
import type { GraphKernelAttributes } from './cuda-graph.ts';
import type { NcclCollectiveCall } from './nccl-collective.ts';

/** The durations of the steps of opening a world, in milliseconds. */
export interface OpenTimes {
  /** Finding and loading driver, toolkit and NCCL. */
  readonly platform: number;
  /** NCCL's own initialization, in which CUDA creates missing contexts of the GPUs. */
  readonly communicators: number;
  /** Retaining the contexts. */
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
   * Returns the address of a window's memory, for an address in the rank's own window. NCCL's own
   * collectives recognise symmetric memory only by these addresses. Any other address is returned
   * unchanged.
   */
  memoryAddress(rank: number, address: number): number;
  /** Returns the `cudaGraph_t` as a number: the graph as it was recorded. */
  nativeGraph(graph: GraphHandle): number;
  /**
   * Returns the attributes that a graph's kernels have from their recorded launches and streams.
   */
  graphKernelAttributes(graph: GraphHandle): readonly GraphKernelAttributes[];
  /** Returns the free and total bytes of the GPU's memory. */
  deviceMemory(rank: number): { readonly free: number; readonly total: number };
  /**
   * Compiles and loads the caller's own CUDA C++ in place of the emitted text of `module`, with the
   * same parameters.
   *
   * @throws NcclError `NCCLTS_COMPILE`
   */
  compileSource(source: CudaSource, module: ValidatedModule): Promise<Executable>;
  /**
   * Enqueues one of NCCL's own collectives, for comparisons. It can be recorded. To NCCL, only
   * memory in a window of this world is symmetric.
   *
   * @throws NcclError with NCCL's error; `NCCL_INVALID_ARGUMENT` unless there is one part for each
   *   rank of this process.
   * @see ncclAllReduce and the other collectives
   */
  ncclCollective(call: NcclCollectiveCall): void;
  /** Creates an event of a rank's GPU, for timing. It is freed with the world at the latest. */
  createEvent(rank: number): EventHandle;
  destroyEvent(event: EventHandle): void;
  /** Records the event after all launches on the stream, which must belong to the same rank. */
  recordEvent(event: EventHandle, stream: StreamHandle): void;
  /** Returns the milliseconds between two events of one GPU, both of which must have completed. */
  elapsedMilliseconds(start: EventHandle, end: EventHandle): number;
  memSyncDomainCount(rank: number): number;
  beginCapture(streams: readonly StreamHandle[]): void;
  endCapture(streams: readonly StreamHandle[]): GraphHandle;
  launchGraph(graph: GraphHandle): void;
  destroyGraph(graph: GraphHandle): Promise<void>;
}
