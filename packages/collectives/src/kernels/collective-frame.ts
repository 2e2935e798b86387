import type { DevComm, SymPtr } from '@nccl-ts/devcomm';
import type { DeviceFn, StructParam } from '@nccl-ts/kernel';

/** The arguments of one call of a collective in a kernel. */
export interface DeviceCall {
  readonly send: SymPtr;
  readonly recv: SymPtr;
  /** The number of elements in NCCL's unit for this collective. */
  readonly count: number;
  /** A rank of the communicator; 0 for collectives without a root. */
  readonly root: number;
  /** The factor of this rank's elements in a scaled sum. */
  readonly scale: number;
}

/**
 * The frame around the calls of a launch: the state that they share, such as the barriers before
 * the first call and after the last. A frame receives the `Scratch` of its algorithm and passes
 * `Given` to the kernels, which see it as `Places`.
 */
export interface CollectiveFrame<Scratch, Places, Given, Session> {
  readonly param: StructParam<Places, Given>;
  readonly givenOf: (scratch: Scratch) => Given;
  /** Runs `calls` once, with the session that a part needs to run a call. */
  readonly open: DeviceFn<(comm: DevComm, buffers: Places, calls: (session: Session) => void) => void>;
}

/**
 * A CTA's work for call number `nth` of a launch. Calls may follow each other in one session if the
 * CTA synchronizes between them. No call may use data that another one stores.
 */
export type CollectivePart<Session> = DeviceFn<
  (comm: DevComm, session: Session, call: DeviceCall, nth: number) => void
>;
