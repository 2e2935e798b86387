import type { DevComm, SymPtr } from '@nccl-ts/devcomm';
import type { DeviceFn, StructParam } from '@nccl-ts/kernel';

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

/**
 * The state that the calls of a launch share, such as the barriers before the first call and after
 * the last. A frame is given the `Scratch` of its algorithm, and passes kernels `Given` of it,
 * which they see as `Places`.
 */
export interface CollectiveFrame<Scratch, Places, Given, Session> {
  readonly param: StructParam<Places, Given>;
  readonly givenOf: (scratch: Scratch) => Given;
  /** Does `calls` once, with what a part needs to do a call. */
  readonly open: DeviceFn<(comm: DevComm, places: Places, calls: (session: Session) => void) => void>;
}

/**
 * A CTA's work for call number `nth` of a launch. Calls may follow each other in one session if the
 * CTA synchronizes between them. No call may touch data that another one stores.
 */
export type CollectivePart<Session> = DeviceFn<
  (comm: DevComm, session: Session, call: DeviceCall, nth: number) => void
>;
