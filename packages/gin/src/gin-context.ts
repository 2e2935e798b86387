import type { MemoryOrder } from '@nccl-ts/core';
import { devComm, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type Coop, type DeviceFn, type Ptr, type StructParam } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { RemoteAction } from './actions.ts';
import { readCounter, resetCounter, waitCounter } from './counters.ts';
import { flush, flushAsync, wait, type GinRequest } from './flush.ts';
import type { PutOptions, ReadOptions, RequestOptions, TimedReadOptions } from './options.ts';
import { increaseSignalShadow, signalShadowPtr, waitSignalFollowShadow, waitSignalMeetShadow } from './shadows.ts';
import { readSignal, readVASignal, resetSignal, resetVASignal, waitSignal, waitVASignal } from './signals.ts';
import type { GinParts } from './impl/gin-struct.ts';
import { get, put, putElements, putValue, signal } from './transfers.ts';

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
   * Copies bytes of a window of the calling rank to the peer's copy of the same or another window.
   */
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
  /** Like `put`, for `count` elements between symmetric pointers. */
  putElements(
    team: Team,
    peer: number,
    dst: SymPtr,
    src: SymPtr,
    count: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ): void;
  /** Puts the bytes of a value of 1, 2, 4 or 8 bytes, which the call reads immediately. */
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
   * arrived after a flush.
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
  /** Sends a signal without data. */
  signal(team: Team, peer: number, remote: RemoteAction, options?: RequestOptions): void;
  flush(coop: Coop, order?: MemoryOrder): void;
  flush(coop: Coop, order: MemoryOrder, timeoutCycles: number): number;
  flushAsync(team: Team, peer: number): GinRequest;
  wait(request: GinRequest, order?: MemoryOrder): void;
  wait(request: GinRequest, order: MemoryOrder, timeoutCycles: number): number;
  readSignal(signal: number, options?: ReadOptions): number;
  waitSignal(coop: Coop, signal: number, least: number, options: TimedReadOptions): number;
  waitSignal(coop: Coop, signal: number, least: number, options?: ReadOptions): void;
  resetSignal(signal: number): void;
  readVASignal(win: Window, offset: number, options?: ReadOptions): number;
  waitVASignal(coop: Coop, win: Window, offset: number, least: number, options: TimedReadOptions): number;
  waitVASignal(coop: Coop, win: Window, offset: number, least: number, options?: ReadOptions): void;
  resetVASignal(win: Window, offset: number): void;
  readCounter(counter: number, options?: ReadOptions): number;
  waitCounter(coop: Coop, counter: number, least: number, options: TimedReadOptions): number;
  waitCounter(coop: Coop, counter: number, least: number, options?: ReadOptions): void;
  resetCounter(counter: number): void;
  signalShadowPtr(signal: number): Ptr;
  increaseSignalShadow(signal: number, delta: number): void;
  waitSignalMeetShadow(coop: Coop, signal: number, options?: ReadOptions): void;
  waitSignalFollowShadow(
    coop: Coop,
    signal: number,
    leastDelta: number,
    options?: ReadOptions,
  ): { readonly before: number; readonly delta: number };
}

/** The parameter type for a `Gin`, for device functions that take one. */
export const ginType: StructParam<Gin, never> = structParam({
  struct: 'Gin',
  fields: { comm: devComm, index: u32, sharing: u32 },
  methods: {
    put,
    putElements,
    putValue,
    get,
    signal,
    flush,
    flushAsync,
    wait,
    readSignal,
    waitSignal,
    resetSignal,
    readVASignal,
    waitVASignal,
    resetVASignal,
    readCounter,
    waitCounter,
    resetCounter,
    signalShadowPtr,
    increaseSignalShadow,
    waitSignalMeetShadow,
    waitSignalFollowShadow,
  },
});

/** The threads that may use a context at the same time. @see ncclGinResourceSharingMode */
export type GinSharing = 'gpu' | 'cta' | 'thread';

/**
 * `gin.context(comm, index, sharing?)`: returns context `index` of the communicator, which must be
 * less than `comm.ginContextCount`. With `sharing`, you promise that only one CTA, or one thread,
 * uses the context while this kernel runs. The default, `gpu`, promises nothing.
 *
 * @see ncclGin
 */
export const context: DeviceFn<(comm: DevComm, index: number, sharing?: GinSharing) => Gin> = deviceFn(
  { name: 'gin.context', use: { GinType: ginType } },
  ({ GinType, u32 }, comm: DevComm, index: number, sharing?: GinSharing) =>
    GinType({
      comm,
      index: u32(index),
      sharing: sharing === undefined || sharing === 'gpu' ? u32(0) : sharing === 'cta' ? u32(1) : u32(2),
    }),
);
