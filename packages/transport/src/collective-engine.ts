import type { RankGroup } from './backend.ts';
import type { CollectiveWork } from './collective-work.ts';
import type { WindowHandle } from './handles.ts';

/** A `WebAssembly.Memory`. */
export interface WebAssemblyHeap {
  /** Growing replaces it. */
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
  grow(pages: number): number;
}

/** The memory of all ranks of a world, in one process. */
export interface CollectiveMemory {
  /** Threads of the engine can use it if it is shared. Its first 4096 bytes belong to the engine. */
  readonly memory: WebAssemblyHeap;
  /** Returns the address of bytes that nothing else uses. They are never freed. */
  allocate(bytes: number): number;
  /**
   * Returns the group of a window, and the address of the copy of `rank`, a rank of the world;
   * `undefined` for a window of another world.
   */
  locate(window: WindowHandle, rank: number): { readonly group: RankGroup; readonly address: number } | undefined;
}

/** The collectives of consecutive launches on one rank of the world. */
export interface RankCollectives {
  readonly rank: number;
  readonly works: readonly CollectiveWork[];
}

/** A rank's part of collectives that all ranks of a group perform together. */
export interface CollectiveLaunch {
  /** Called when the rank's launch begins. The last rank of the group does the work of all. */
  begin(): void;
  /** True if the launch can end: the work is done, or cannot be done. */
  readonly isOver: boolean;
  /** @throws NcclError `NCCL_INVALID_USAGE` if ranks have requested different collectives. */
  check(): void;
  /** The ranks of the world whose part has not begun. */
  readonly missing: readonly number[];
}

/**
 * Performs the collectives that launches state as their `work`, without the kernels. A backend
 * whose ranks share one memory may use it.
 *
 * It matches the launches of a group's ranks by order: the first launch of one rank with the first
 * of every other, and so on. So it must be asked about each launch with work, once and in order.
 */
export interface CollectiveEngine {
  /** Returns the part of a launch; `undefined` if only the kernel can do the work. */
  launch(collectives: RankCollectives): CollectiveLaunch | undefined;
  /**
   * Prepares recorded launches. The result makes one launch of each rank that does the work of all
   * its launches. `undefined` if they are not the launches of all ranks of one group, or if only
   * the kernels can do some work.
   */
  record(collectives: readonly RankCollectives[]): (() => readonly CollectiveLaunch[]) | undefined;
  /** Ends its threads. */
  close(): void;
}
