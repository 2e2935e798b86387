import type { LaunchReport, MemSyncDomainMap } from '@nccl-ts/transport';
import type { Graph } from './graph.ts';

export interface CreateStreamOptions {
  /**
   * The physical memory synchronization domain for each of the two that launches name.
   *
   * @default the device's: 0 and, where there are several, 1
   */
  readonly memSyncDomainMap?: MemSyncDomainMap;
}

export interface SynchronizeOptions {
  /**
   * Ends the wait, not the work: what the work still reports comes with the next synchronisation.
   */
  readonly signal?: AbortSignal;
}

/**
 * A queue of launches of one rank. Launches of one stream run in the order in which they were made;
 * those of different streams may run at the same time.
 *
 * @see cudaStream_t
 */
export interface Stream extends AsyncDisposable {
  readonly kind: 'stream';
  readonly rank: number;
  readonly isOpen: boolean;
  /** Launches are being recorded instead of run: see `capture`. @see cudaStreamIsCapturing */
  readonly isCapturing: boolean;
  /**
   * Waits until all launches made on the stream so far have ended. What they wrote is then visible
   * to the host.
   *
   * @returns what was learnt of the launches since the last call, those included that a read or a
   *   write waited for.
   * @throws NcclError the first thing that went wrong in these launches; `NCCLTS_ABORTED` where the
   *   signal or the world was aborted; `NCCLTS_CLOSED` where the stream is closed.
   * @see cudaStreamSynchronize
   */
  synchronize(options?: SynchronizeOptions): Promise<LaunchReport>;
  /**
   * Records the launches that `body` makes on the stream, instead of running them, into a graph
   * that launches all of them at once, as often as wanted. Nothing else may be done with the stream
   * meanwhile; to record launches of all ranks into one graph there is `World.capture`.
   *
   * @throws what `body` throws; NcclError `NCCL_INVALID_USAGE` where the stream is being captured
   *   already.
   * @see cudaStreamBeginCapture
   */
  capture(body: () => Promise<void> | void): Promise<Graph>;
  /**
   * Waits for the stream's launches and gives it back. Closing again does nothing. @see
   * cudaStreamDestroy
   */
  close(): Promise<void>;
}
