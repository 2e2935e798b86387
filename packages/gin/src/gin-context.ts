import type { MemoryOrder } from '@nccl-ts/core';
import type { SymPtr, Window } from '@nccl-ts/devcomm';
import type { Coop, DeviceMethod, Ptr } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { RemoteAction } from './remote-action.ts';
import type { GinRequest } from './gin-request.ts';
import type { GinParts } from './impl/gin-struct.ts';
import type { PutOptions, PutRequest, ReadOptions, RequestOptions, TimedReadOptions } from './options.ts';

/**
 * One context of the network, for puts, gets and signals of a kernel. A call posts a request, which
 * takes effect some time later. Only the rules below order two requests. Contexts are independent,
 * and each has its own signals and counters.
 *
 * - The destination of a put is written at any time after the call, in pieces, in any order with
 *   other puts.
 * - A read or wait with acquire order that sees a *strong* signal makes visible every earlier put
 *   on the same context to the same peer. A *weak* signal makes visible only the put that carries
 *   it, and a weak `signal` no put.
 * - A source may be reused once its counter, or a flush, shows that. The data of a get has arrived
 *   after a flush.
 * - Peers must be in the team and, with a `rail` connection, on the calling rank's rail. A rank may
 *   send to itself.
 *
 * Every thread of a call's `coop` must make the call. The simulator reports the following errors,
 * for which GPUs do not check:
 *
 * - peers out of reach, and indices past the counts;
 * - a signal that is changed by both `inc` and `add` without a reset in between;
 * - a reset that races with a signal, and plain stores to the word of a VA signal;
 * - a use that the declared sharing does not allow.
 *
 * @see ncclGin
 */
export interface Gin extends GinParts {
  /**
   * Copies `bytes` bytes of a window of the calling rank to the peer's copy of the same or another
   * window. Offsets are in bytes. The call posts a request: the copy arrives later, which a signal
   * (`remote`) shows at the peer, and a flush shows only here.
   *
   * ```ts
   * const remote = gin.strongSignalInc(0);
   * net.put({ team: teamWorld(comm), peer, dst: win, src: win, bytes: 4096, remote });
   * ```
   *
   * @see ncclGin::put
   */
  put(request: PutRequest): void;
  /** The same put by position: offsets and `bytes` are in bytes. @see ncclGin::put */
  put(
    team: Team,
    peer: number,
    dst: Window,
    dstOffset: number,
    src: Window,
    srcOffset: number,
    bytes: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ): void;
  /**
   * Like `put`, for `count` elements between symmetric pointers of one type.
   *
   * @see ncclGin::put
   */
  putElements(
    team: Team,
    peer: number,
    dst: SymPtr,
    src: SymPtr,
    count: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ): void;
  /**
   * Puts the bytes of a value of 1, 2, 4 or 8 bytes, which the call reads immediately.
   *
   * @see ncclGin::putValue
   */
  putValue(
    team: Team,
    peer: number,
    dst: Window,
    dstOffset: number,
    value: number,
    remote?: RemoteAction,
    options?: RequestOptions,
  ): void;
  /**
   * Copies bytes of the peer's copy of `remote` to the calling rank's copy of `local`. The data has
   * arrived after a flush of the context; neither signals nor counters show it.
   *
   * @see ncclGin::get
   */
  get(
    team: Team,
    peer: number,
    remote: Window,
    remoteOffset: number,
    local: Window,
    localOffset: number,
    bytes: number,
    options?: RequestOptions,
  ): void;
  /** Sends a signal without data. A weak signal makes no put visible. @see ncclGin::signal */
  signal(team: Team, peer: number, remote: RemoteAction, options?: RequestOptions): void;
  /**
   * Like the other form, but gives up after `timeoutCycles`. Each thread flushes its share of the
   * peers and returns 0, or `ResultCode.Timeout` (8) if one of its own was late. So threads may
   * disagree, and a 0 says nothing about the shares of other threads. Requires NCCL 2.31.
   */
  flush(coop: Coop, order: MemoryOrder, timeoutCycles: number): number;
  /**
   * Returns, to all threads of `coop`, once all requests that any of them posted earlier on this
   * context are locally complete. Their sources may then be reused, and the data of gets has
   * arrived. Flush does not guarantee that puts have arrived at the peers. The default order is
   * `acquire`.
   *
   * @see ncclGin::flush
   */
  flush(coop: Coop, order?: MemoryOrder): void;
  /**
   * Starts to flush the requests to one peer, and immediately returns a request for `wait`.
   *
   * @see ncclGin::flushAsync
   */
  flushAsync(team: Team, peer: number): GinRequest;
  /**
   * Like the other form, but gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout`
   * (8). Requires NCCL 2.31.
   */
  wait(request: GinRequest, order: MemoryOrder, timeoutCycles: number): number;
  /**
   * Returns to the calling thread once the requests are locally complete.
   *
   * @see ncclGin::wait
   */
  wait(request: GinRequest, order?: MemoryOrder): void;
  /** Returns the signal's low bits. @see ncclGin::readSignal */
  readSignal(signal: number, options?: ReadOptions): number;
  /**
   * Like the other form, but gives up after `timeoutCycles`, and returns 0 or `ResultCode.Timeout`:
   * see `TimedReadOptions`.
   */
  waitSignal(coop: Coop, signal: number, least: number, options: TimedReadOptions): number;
  /**
   * Returns, to all threads of `coop`, once the low bits of the signal, which wrap around, have
   * reached `least`.
   *
   * @see ncclGin::waitSignal
   */
  waitSignal(coop: Coop, signal: number, least: number, options?: ReadOptions): void;
  /**
   * Sets the signal and its shadow to 0. No signal to it may be in flight, which the simulator
   * checks. One thread calls it.
   *
   * @see ncclGin::resetSignal
   */
  resetSignal(signal: number): void;
  /**
   * Reads the word at byte `offset` of the calling rank's copy of a window.
   *
   * @see ncclGin::readSignal
   */
  readVASignal(win: Window, offset: number, options?: ReadOptions): number;
  /** Like `waitSignal`, for the word at byte `offset` of the calling rank's copy of a window. */
  waitVASignal(coop: Coop, win: Window, offset: number, least: number, options: TimedReadOptions): number;
  waitVASignal(coop: Coop, win: Window, offset: number, least: number, options?: ReadOptions): void;
  /** Like `resetSignal`, for the word at byte `offset` of the calling rank's copy of a window. */
  resetVASignal(win: Window, offset: number): void;
  /** Reads at most 56 bits. @see ncclGin::readCounter */
  readCounter(counter: number, options?: ReadOptions): number;
  /**
   * Like the other form, but gives up after `timeoutCycles`, and returns 0 or `ResultCode.Timeout`:
   * see `TimedReadOptions`.
   */
  waitCounter(coop: Coop, counter: number, least: number, options: TimedReadOptions): number;
  /**
   * Returns once the counter has reached `least`. The sources of that many puts may then be reused.
   *
   * @see ncclGin::waitCounter
   */
  waitCounter(coop: Coop, counter: number, least: number, options?: ReadOptions): void;
  /**
   * Sets the counter to 0. No put that changes it may be in flight.
   *
   * @see ncclGin::resetCounter
   */
  resetCounter(counter: number): void;
  /**
   * Returns a pointer to the signal's shadow, a u64 of the calling rank in which a kernel can keep
   * a count.
   *
   * @see ncclGin::getSignalShadowPtr
   */
  signalShadowPtr(signal: number): Ptr;
  /** Adds to the shadow. One thread calls it. @see ncclGin::increaseSignalShadow */
  increaseSignalShadow(signal: number, delta: number): void;
  /** Waits until the signal has reached its shadow. @see ncclGin::waitSignalMeetShadow */
  waitSignalMeetShadow(coop: Coop, signal: number, options?: ReadOptions): void;
  /**
   * Waits until the signal is at least `leastDelta` past its shadow, then sets the shadow to the
   * signal. Returns the previous shadow, and the signal's distance from it, both in their low
   * `bits`.
   *
   * @see ncclGin::waitSignalFollowShadow
   */
  waitSignalFollowShadow(
    coop: Coop,
    signal: number,
    leastDelta: number,
    options?: ReadOptions,
  ): { readonly before: number; readonly delta: number };
}

/** The threads that may use a context at the same time. @see ncclGinResourceSharingMode */
export type GinSharing = 'gpu' | 'cta' | 'thread';

/** A method of `Gin`, as a device function. */
export type GinMethod<Name extends Exclude<keyof Gin, keyof GinParts>> = DeviceMethod<GinParts, Gin[Name]>;
