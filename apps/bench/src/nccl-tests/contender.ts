import type { BufferPointer } from '@nccl-ts/collectives';
import type { Communicator, World } from '@nccl-ts/communicator';
import type { BenchOp } from './bench-op.ts';
import type { BenchProgram } from './bench-program.ts';
import type { BenchType } from './bench-type.ts';

/** One call of a collective, the same for all ranks. */
export interface BenchCall {
  readonly program: BenchProgram;
  readonly type: BenchType;
  /** The operator, if the program reduces or at least prints one. */
  readonly op: BenchOp | undefined;
  /** The root, or 0 if the program has none. */
  readonly root: number;
  /** The count, as NCCL counts elements for the collective. */
  readonly count: number;
  /**
   * For ranks that send different amounts to each other: the elements for each rank, by its
   * distance, beginning with the rank itself.
   */
  readonly chunks?: readonly number[];
}

/**
 * A rank, and the position of its data. An in-place call sends from the window into which it
 * receives.
 */
export interface RankBuffers {
  readonly comm: Communicator;
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
}

/** The streams of a contender, one for each rank of this process. */
export interface ContenderLane {
  /** Records the work that `body` starts. */
  capture(body: () => Promise<void>): Promise<ContenderGraph>;
  /** Waits for all that was started on a rank. */
  synchronize(rank: number): Promise<void>;
}

/** Recorded iterations. */
export interface ContenderGraph extends AsyncDisposable {
  launch(): Promise<void>;
}

/**
 * An implementation of collectives to measure: this repository's, or another library's in the same
 * process on the same buffers. Only `start` is measured.
 */
export interface Contender {
  readonly name: string;
  /**
   * The reason why it cannot run a program, or `undefined`. It is called before all other methods.
   */
  refuses(call: BenchCall, inPlace: boolean): string | undefined;
  /** Creates its resources, once for a world. */
  prepare(world: World): Promise<void>;
  /**
   * Starts one iteration on all ranks, after earlier iterations. Resolves when it is enqueued. It
   * may be recorded into a graph.
   */
  start(call: BenchCall, ranks: readonly RankBuffers[]): Promise<void>;
  /** The streams, if it has separate ones. @default the communicators' default streams */
  readonly lane?: ContenderLane;
  /** Frees its resources. */
  finish(): Promise<void>;
}
