import type { DevComm, LLA2AHandle, SymPtr } from '@nccl-ts/devcomm';
import type { DeviceFn, StructParam } from '@nccl-ts/kernel';
import type { BufferPointer } from '../buffer.ts';

/** The arguments of one call of a collective in a kernel. */
export interface DeviceCall {
  readonly send: SymPtr;
  readonly recv: SymPtr;
  /** Elements, as NCCL counts them for the collective. */
  readonly count: number;
  /** A rank of the communicator; 0 where the collective has no root. */
  readonly root: number;
  /** The factor of this rank's elements in a scaled sum. */
  readonly scale: number;
}

/** The memory that a communicator keeps for its collectives, at the same offsets on every rank. */
export interface CollectivePlaces {
  /** The location of the links of rings. */
  readonly ringFifo: number;
  /** The location at which ranks store data for other ranks to reduce. */
  readonly chunks: number;
  /** The location of the words of `sentinel`. */
  readonly sentinels: number;
  /** The location at which ranks publish their scalars. */
  readonly scales: number;
  /** The location of chunks in flight between load-store domains. */
  readonly scratch: BufferPointer;
  /** Slots of all-to-all sessions. */
  readonly llSlots: LLA2AHandle;
}

/**
 * The common part of the calls of a launch, such as the barriers before the first and after the
 * last of them. A frame takes some of the `CollectivePlaces`: the host passes `Given`, and kernels
 * see them as `Places`.
 */
export interface CollectiveFrame<Places, Given, Session> {
  readonly param: StructParam<Places, Given>;
  readonly givenOf: (places: CollectivePlaces) => Given;
  /** Runs `calls` once, with the session that a part needs for a call. */
  readonly open: DeviceFn<(comm: DevComm, places: Places, calls: (session: Session) => void) => void>;
}

/**
 * A CTA's work for call number `nth` of a launch. Calls may follow each other in one session, if
 * the CTA synchronizes between them; none may touch data that another one stores.
 */
export type CollectivePart<Session> = DeviceFn<
  (comm: DevComm, session: Session, call: DeviceCall, nth: number) => void
>;
