import type { Communicator, LaunchOptions, PreparedLaunch } from '@nccl-ts/communicator';
import { devComm, symPtr, type DevCommArg, type SymPtrArg } from '@nccl-ts/devcomm';
import { kernel, structParam, u32, type Kernel } from '@nccl-ts/kernel';
import type { BufferPointer } from '../buffer.ts';
import type { CollectiveFrame, CollectivePart, DeviceCall } from './collective-frame.ts';
import type { KernelShape } from './kernel-shape.ts';

/** The largest number of calls in one launch. A kernel contains the code once for each call. */
export const GROUP_WIDTH = 4;

/** The arguments of one call of a collective on the host. */
export interface HostCall {
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
  readonly count: number;
  readonly root: number;
  readonly scale: number | bigint;
}

/** The calls of one launch. */
export type HostCalls = readonly [HostCall, ...HostCall[]];

/** The memory through which the launches of an algorithm communicate. */
export interface LaunchScratch<Scratch> {
  readonly devComm: DevCommArg;
  readonly scratch: Scratch;
}

/** The kernels of one variant of a collective. */
export interface CollectiveKernels<Scratch> {
  /** Runs one call. */
  readonly one: Kernel;
  /** Runs up to `GROUP_WIDTH` calls. */
  readonly several: Kernel;
  /** Launches one call, or up to `GROUP_WIDTH` together. */
  readonly launch: (
    comm: Communicator,
    at: LaunchScratch<Scratch>,
    options: LaunchOptions,
    calls: HostCalls,
  ) => Promise<void>;
  /** Checks the launch of one call. */
  readonly prepare: (
    comm: Communicator,
    at: LaunchScratch<Scratch>,
    options: LaunchOptions,
    call: HostCall,
  ) => PreparedLaunch;
}

/** One call of a launch. A missing call has 0 elements. */
interface CallArg {
  readonly send: SymPtrArg;
  readonly recv: SymPtrArg;
  readonly count: number | bigint;
  readonly root: number;
  readonly scale: unknown;
}

/** Makes the kernels whose calls each run `part` within `frame`. */
export function collectiveKernels<Scratch, Places, Given, Session>(
  part: CollectivePart<Session>,
  frame: CollectiveFrame<Scratch, Places, Given, Session>,
  { T, A, count }: KernelShape,
): CollectiveKernels<Scratch> {
  const { name } = part;
  const { open, param: buffers } = frame;
  const call = structParam<DeviceCall, CallArg>({
    struct: 'Call',
    fields: { send: symPtr(T), recv: symPtr(T), count, root: u32, scale: A },
  });
  const one = kernel(
    { name, use: { open, part }, params: { comm: devComm, places: buffers, call } },
    ({ open, part }, { comm, places, call }) => {
      open(comm, places, (session) => part(comm, session, call, 0));
    },
  );
  const several = kernel(
    {
      name: `${name}Group`,
      use: { open, part },
      params: { comm: devComm, places: buffers, call0: call, call1: call, call2: call, call3: call },
    },
    ({ open, part, coopCta }, { comm, places, call0, call1, call2, call3 }) => {
      open(comm, places, (session) => {
        const next = (call: DeviceCall, nth: number): void => {
          if (call.count > 0) {
            // One thread stores the values that a part keeps for the next call, and other threads
            // load them.
            coopCta().sync();
            part(comm, session, call, nth);
          }
        };
        part(comm, session, call0, 0);
        next(call1, 1);
        next(call2, 2);
        next(call3, 3);
      });
    },
  );
  const element = T.scalar;
  const argOf = ({ send, recv, count, root, scale }: HostCall): CallArg => ({
    send: send.cast(element),
    recv: recv.cast(element),
    count,
    root,
    scale,
  });
  return Object.freeze({
    one,
    several,
    launch: async (
      comm: Communicator,
      { devComm, scratch }: LaunchScratch<Scratch>,
      options: LaunchOptions,
      [first, ...others]: HostCalls,
    ) => {
      const places = frame.givenOf(scratch);
      const call0 = argOf(first);
      if (others.length === 0) return comm.launch(one, options, { comm: devComm, places, call: call0 });
      const nothing = { ...call0, count: 0 };
      const [call1 = nothing, call2 = nothing, call3 = nothing] = others.map(argOf);
      return comm.launch(several, options, { comm: devComm, places, call0, call1, call2, call3 });
    },
    prepare: (
      comm: Communicator,
      { devComm, scratch: places }: LaunchScratch<Scratch>,
      options: LaunchOptions,
      call: HostCall,
    ) => comm.prepare(one, options, { comm: devComm, places: frame.givenOf(places), call: argOf(call) }),
  });
}
