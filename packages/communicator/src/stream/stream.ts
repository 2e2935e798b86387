import type { LaunchReport, MemSyncDomainMap } from '@nccl-ts/transport';
import type { Graph } from './graph.ts';

export interface CreateStreamOptions {
  /**
   * The physical memory synchronization domains of the two logical ones.
   *
   * @default the device's: 0 and, if there are several, 1
   */
  readonly memSyncDomainMap?: MemSyncDomainMap;
}

export interface SynchronizeOptions {
  /** Ends the wait, but not the work: the next synchronization reports its results. */
  readonly signal?: AbortSignal;
}

/**
 * A queue of launches of one rank. Launches on one stream run in order. Those on different streams
 * may run at the same time.
 *
 * @see cudaStream_t
 */
export interface Stream extends AsyncDisposable {
  readonly kind: 'stream';
  readonly rank: number;
  readonly isOpen: boolean;
  /** True if launches are recorded instead of run: see `capture`. @see cudaStreamIsCapturing */
  readonly isCapturing: boolean;
  /**
   * Waits until all launches made on the stream so far have ended. Their writes are then visible to
   * the host.
   *
   * @returns the results of the launches since the last call, including those for which a read or a
   *   write has waited
   * @throws NcclError the first error of these launches; `NCCLTS_ABORTED` if the signal or the
   *   world was aborted; `NCCLTS_CLOSED` if the stream is closed.
   * @see cudaStreamSynchronize
   */
  synchronize(options?: SynchronizeOptions): Promise<LaunchReport>;
  /**
   * Records the launches that `body` makes on the stream, instead of running them. The returned
   * graph launches all of them together, any number of times. The stream cannot be used for
   * anything else meanwhile. To record launches of all ranks into one graph, use `World.capture`.
   *
   * @throws the error that `body` throws; NcclError `NCCL_INVALID_USAGE` if the stream is being
   *   captured already.
   * @see cudaStreamBeginCapture
   */
  capture(body: () => Promise<void> | void): Promise<Graph>;
  /**
   * Waits for the stream's launches and frees it. A second call does nothing.
   *
   * @see cudaStreamDestroy
   */
  close(): Promise<void>;
}
