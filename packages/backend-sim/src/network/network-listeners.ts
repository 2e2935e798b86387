import type { Request } from './request.ts';

/**
 * Checks memory order. It is called for everything that the network does to memory, before it
 * happens.
 */
export interface NetworkWatch {
  posted(request: Request): void;
  /** A flush of a domain begins. `completed` is the address of the domain's word. */
  flushes(completed: number): void;
  /**
   * The held-back requests of a domain are released. `completed` is the address of the domain's
   * word.
   */
  released(completed: number): void;
  /** The request reads, or writes, the bytes in `[low, high)`. */
  reads(request: Request, low: number, high: number): void;
  writes(request: Request, low: number, high: number): void;
  /**
   * The request changes the signal at `address`. The signal covers only the request's own put or,
   * if `strong`, all earlier ones.
   */
  signals(request: Request, address: number, strong: boolean): void;
  /** The request is locally complete, and is counted in the word at `address`. */
  completes(request: Request, address: number): void;
  /**
   * The call that posted the request returns. It has waited until the request has read its source
   * or, for a get, until it is complete.
   */
  returns(request: Request): void;
  /**
   * A thread fences: its rank's earlier puts to a rank arrive before its later operations there.
   */
  fences(): void;
}

/** Observes requests. */
export interface NetworkObserver {
  /** A request was posted to a queue of the given depth. */
  posted(request: Request, queueDepth: number, site: number): void;
  /** The request is in flight, either at once or after it was held back. */
  letGo(request: Request): void;
  /** The request's signal has changed. `before` is the previous value of the word. */
  signalled(request: Request, before: bigint): void;
  /** The request is locally complete, and was counted in the word at `address`. */
  completed(request: Request, address: number, before: bigint): void;
}
