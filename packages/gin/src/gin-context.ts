import type { MemoryOrder } from '@nccl-ts/core';
import { devComm, type DevComm, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type Coop, type DeviceFn, type Ptr, type StructParam } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { RemoteAction } from './actions.ts';
import { readCounter, resetCounter, waitCounter } from './counters.ts';
import { flush, flushAsync, wait, type GinRequest } from './flush.ts';
import type { PutOptions, ReadOptions, RequestOptions } from './options.ts';
import { increaseSignalShadow, signalShadowPtr, waitSignalFollowShadow, waitSignalMeetShadow } from './shadows.ts';
import { readSignal, readVASignal, resetSignal, resetVASignal, waitSignal, waitVASignal } from './signals.ts';
import type { GinParts } from './impl/gin-struct.ts';
import { get, put, putElements, putValue, signal } from './transfers.ts';

/**
 * One context of the network: what a kernel puts, gets and signals through. Requests are posted,
 * not done: each takes effect some time later, and nothing orders two of them but what is said
 * here. Contexts know nothing of each other; each has signals and counters of its own.
 *
 * - The destination of a put is written any time after the call, in pieces, in any order with other
 *   puts.
 * - A signal that a read or wait with acquire order has seen makes visible: a *strong* one every
 *   put before it, on the same context to the same peer; a *weak* one the put that carries it, and
 *   a weak `signal` nothing.
 * - A source may be used again once its counter, or a flush, has said so. What was got is there
 *   after a flush.
 * - Peers must be in the team and, with a `rail` connection, on the own rail; a rank may send to
 *   itself.
 *
 * Every thread of the `coop` of a call must make it. Not checked on GPUs, and told by the
 * simulator: peers out of reach, indices past the counts, a signal changed by `inc` and `add`
 * without a reset between, a reset that races with a signal, plain stores to the word of a VA
 * signal, a use that the declared sharing forbids.
 *
 * @see ncclGin
 */
export interface Gin extends GinParts {
  /** Copies bytes of an own window to the peer's copy of another, or the same. */
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
  /** As `put`, of `count` elements between symmetric pointers. */
  putElements(
    team: Team,
    peer: number,
    dst: SymPtr,
    src: SymPtr,
    count: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ): void;
  /** Puts the bytes of a value of 1, 2, 4 or 8 bytes, taken at once. */
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
   * Copies bytes of the peer's copy of `remote` into the own copy of `local`; they are there after
   * a flush.
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
  /** A signal alone. */
  signal(team: Team, peer: number, remote: RemoteAction, options?: RequestOptions): void;
  flush(coop: Coop, order?: MemoryOrder): void;
  flushAsync(team: Team, peer: number): GinRequest;
  wait(request: GinRequest, order?: MemoryOrder): void;
  readSignal(signal: number, options?: ReadOptions): number;
  waitSignal(coop: Coop, signal: number, least: number, options?: ReadOptions): void;
  resetSignal(signal: number): void;
  readVASignal(win: Window, offset: number, options?: ReadOptions): number;
  waitVASignal(coop: Coop, win: Window, offset: number, least: number, options?: ReadOptions): void;
  resetVASignal(win: Window, offset: number): void;
  readCounter(counter: number, options?: ReadOptions): number;
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

/** The type of a `Gin`, for device functions that take one. */
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

/** Who may use a context at the same time. @see ncclGinResourceSharingMode */
export type GinSharing = 'gpu' | 'cta' | 'thread';

/**
 * `gin.context(comm, index, sharing?)`: context `index` of the communicator, less than
 * `comm.ginContextCount`. `sharing` promises that nobody but one CTA, or one thread, uses the
 * context while this kernel runs. Default: `gpu`, no promise.
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
