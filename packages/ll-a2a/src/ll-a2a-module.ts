import type { DevComm, LLA2AHandle, MultimemHandle } from '@nccl-ts/devcomm';
import type { CoopLike, Ptr, TypeFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';

/** The members of `llA2A` in a kernel. */
export interface LLA2A {
  /**
   * Makes a session of block `block` of the handle, whose values have numbers below `maxElts` if
   * they have more than 8 bytes.
   *
   * @see ncclLLA2ASession
   */
  readonly session: (
    coop: CoopLike,
    comm: DevComm,
    team: Team,
    handle: LLA2AHandle,
    block: number,
    maxElts: number,
    options?: LLA2AOptions,
  ) => LLA2ASession;
}

/** Options of a session. */
export interface LLA2AOptions {
  /**
   * True to broadcast by one store to a multicast address, instead of one store to each member. A
   * constant. Ranks may choose differently, because the slots have the same contents. Default:
   * false.
   */
  readonly multimem?: boolean;
  /**
   * The ranks that `bcast` reaches with `multimem`, as one of `multimemHandles`. It must cover
   * `team`, which is not checked. By default it is the LSA team's, from `lsaMultimem`. If that
   * handle is null, the simulator reports it at the call of `bcast`.
   */
  readonly mmHandle?: MultimemHandle;
}

/**
 * All-to-all exchange between the CTAs of several ranks that use the same `block`. In each epoch
 * every rank sends values to every member of the team, including itself, and receives the values
 * sent to it, without a barrier. `elt` is the number of a value. The receiver uses the number under
 * which it was sent, so senders to one rank must use different numbers.
 *
 * A value is a number or vector of up to 16 bytes, or `width` elements in memory, of any size. It
 * takes a slot for each 8 bytes: slots `elt`, `elt + maxElts` and so on. All of them must be below
 * the handle's `nSlots`. The number of a value of more than 8 bytes must be below `maxElts`. Each
 * slot may receive only one value in an epoch.
 *
 * Every thread sends and receives independently. Any thread may receive any value, any number of
 * times. Only `endEpoch` and the end of the session's block need all threads of the group. Sends
 * order nothing else: a received value does not make other stores of its sender visible.
 *
 * @see ncclLLA2ASession
 */
export interface LLA2ASession {
  /** Sends a value to the team's member `peer`. Does not wait. */
  send(peer: number, elt: number, data: number): void;
  /** Sends the `width` (a constant) elements at `data` as one value. */
  send(peer: number, elt: number, data: Ptr, width: number): void;
  /** Sends a value to all members of the team, including the calling rank. */
  bcast(elt: number, data: number): void;
  bcast(elt: number, data: Ptr, width: number): void;
  /**
   * Waits for value `elt` of this epoch. `type` must be the sender's type, or have the same size.
   * That is not checked.
   */
  recv(type: TypeFn, elt: number): number;
  /**
   * Waits for several values together: `eltStart + u * eltStride` for each u below `minEltCount`,
   * and for each u below both `eltCount` and `maxEltCount`. Stores value u to the `width` elements
   * from `elts[u * width]` on. `minEltCount`, `maxEltCount` and `width` (1 by default) are
   * constants. The elements of other values are undefined afterwards.
   */
  recvUnrolled(
    minEltCount: number,
    maxEltCount: number,
    eltStart: number,
    eltCount: number,
    eltStride: number,
    elts: Ptr,
    width?: number,
  ): void;
  /**
   * Waits for values `eltStart + i * eltStride`, for each i below `eltCount`. It waits for `unroll`
   * (a constant) of them at a time. Returns their reduction, which applies `reduce` to the result
   * so far and to `eltToAcc` of the next value, in the order of i. Without values the result is
   * undefined.
   */
  recvReduce(
    unroll: number,
    type: TypeFn,
    eltStart: number,
    eltCount: number,
    eltStride: number,
    eltToAcc: (elt: number) => number,
    reduce: (a: number, b: number) => number,
  ): number;
  /**
   * Ends the epoch, so that later sends belong to the next one. All threads of the session's group
   * must call it. Before that, the group must have sent at least one value to each other member of
   * the team, and received at least one from each. Otherwise the session overwrites values that
   * other ranks have not received yet.
   */
  endEpoch(coop: CoopLike): void;
}
