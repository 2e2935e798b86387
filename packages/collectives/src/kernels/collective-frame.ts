import type { DevComm, SymPtr } from '@nccl-ts/devcomm';
import type { DeviceFn, StructParam } from '@nccl-ts/kernel';

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

/**
 * What the calls of a launch share, such as the barriers before the first and behind the last of them. A frame is given the `Scratch`
 * of its algorithm, and passes kernels `Given` of it, which they see as `Places`.
 */
export interface CollectiveFrame<Scratch, Places, Given, Session> {
  readonly param: StructParam<Places, Given>;
  readonly givenOf: (scratch: Scratch) => Given;
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
