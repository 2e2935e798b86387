import type { DevComm, LLA2AHandle, SymPtr } from '@nccl-ts/devcomm';
import type { DeviceFn, StructParam } from '@nccl-ts/kernel';
import type { BufferPointer } from '../buffer.ts';

/** What one call of a collective is given, as kernels see it. */
export interface DeviceCall {
  readonly send: SymPtr;
  readonly recv: SymPtr;
  /** Elements, as NCCL counts them for the collective. */
  readonly count: number;
  /** A rank of the communicator; 0 where the collective has no root. */
  readonly root: number;
  /** What a scaled sum multiplies this rank's elements with. */
  readonly scale: number;
}

/** What a communicator keeps for its collectives, each at the same place on every rank. */
export interface CollectivePlaces {
  /** Where the links of rings are. */
  readonly ringFifo: number;
  /** Where ranks store what others are to reduce. */
  readonly chunks: number;
  /** Where words are exchanged that sentinels stand for, and how many a CTA has room for from each peer. */
  readonly sentinels: { readonly buffers: number; readonly room: number };
  /** Where ranks tell each other their scalars. */
  readonly scales: number;
  /** Where chunks are kept on their way between load-store domains. */
  readonly scratch: BufferPointer;
  /** Slots of all-to-all sessions. */
  readonly llSlots: LLA2AHandle;
}

/**
 * What the calls of a launch share, such as the barriers before the first and behind the last of them. A frame is given some of the
 * `CollectivePlaces`, `Given` by the host, which kernels see as `Places`.
 */
export interface CollectiveFrame<Places, Given, Session> {
  readonly param: StructParam<Places, Given>;
  readonly givenOf: (places: CollectivePlaces) => Given;
  /** Does `calls` once, with what a part needs to do a call. */
  readonly open: DeviceFn<(comm: DevComm, places: Places, calls: (session: Session) => void) => void>;
}

/**
 * What a CTA does of call number `nth` of a launch. Calls may follow each other in one session, if the CTA meets between them; none
 * may touch what another one stores.
 */
export type CollectivePart<Session> = DeviceFn<
  (comm: DevComm, session: Session, call: DeviceCall, nth: number) => void
>;
