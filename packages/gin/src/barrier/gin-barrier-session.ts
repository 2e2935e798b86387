import { memoryOrders, type MemoryOrder } from '@nccl-ts/core';
import { ginBarrierHandle, team, teamRail, teamWorld, type GinBarrierHandle } from '@nccl-ts/devcomm';
import { deviceSession, u32, u64, type Context, type Coop, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { Gin } from '../gin-context.ts';
import { ginStruct } from '../impl/gin-struct.ts';
import { syncAt, syncAtOrTimeOut } from './gin-barrier-forms.ts';
import type { GinBarrierState } from './gin-barrier-state.ts';
import type { GinFence } from './gin-fence.ts';

/** The location of a barrier's signals. */
export interface GinBarrierOptions {
  /** With `handle`: any team that the connection reaches, with its own barriers. */
  readonly team?: Team;
  readonly handle?: GinBarrierHandle;
  /**
   * True if the fence covers the puts and gets of every context of the communicator, and not only
   * those of `net`.
   */
  readonly allContexts?: boolean;
}

/**
 * A barrier over the network. Its state is in the shadows of its signals, so there is nothing to
 * close.
 *
 * Every thread of `coop` must make each call, and each rank of the team must make the same calls
 * with the same index. A barrier of R ranks needs at least R - 1 threads. In NCCL's loop each
 * thread signals and then waits, peer after peer. With fewer threads, a ring of ranks would wait
 * for each other. The simulator reports that, but a GPU hangs.
 *
 * @see ncclGinBarrierSession
 */
export interface GinBarrierSession {
  sync(coop: CoopLike, order: MemoryOrder, fence?: GinFence): void;
  /**
   * Gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout` (8) if it gave up. After a
   * time-out the barrier is out of step.
   */
  sync(coop: CoopLike, order: MemoryOrder, fence: GinFence, timeoutCycles: number): number;
}

const order = { kind: 'word', words: memoryOrders } as const;
const coop = { kind: 'coop' } as const;
const fences: readonly GinFence[] = ['none', 'put', 'get', 'putGet'];

const uses = { teamWorld, teamRail, syncAt, syncAtOrTimeOut };

/** `gin.barrierSession(coop, net, 'world' | 'rail', index, { team?, handle?, allContexts? })`. */
export const barrierSession: DeviceFn<
  (coop: CoopLike, net: Gin, tag: 'world' | 'rail', index: number, options?: GinBarrierOptions) => GinBarrierSession
> = deviceSession({
  name: 'gin.barrierSession',
  use: uses,
  state: { net: 'fixed', team: 'fixed', handle: 'fixed', index: 'fixed', limit: 'fixed', allContexts: 'fixed' },
  params: {
    coop,
    net: ginStruct,
    tag: { kind: 'word', words: ['world', 'rail'] },
    index: u32,
    'options?': {
      kind: 'options',
      members: { team, handle: ginBarrierHandle, allContexts: { kind: 'constant' } },
    },
  },
  ctor: (
    { teamWorld, teamRail, u32 }: Context<typeof uses>,
    self: GinBarrierState,
    _coop: CoopLike,
    net: Gin,
    tag: 'world' | 'rail',
    index: number,
    options: GinBarrierOptions,
  ) => {
    self.net = net;
    self.index = index;
    self.allContexts = options.allContexts ? 1 : 0;
    self.team =
      options.team === undefined ? (tag === 'world' ? teamWorld(net.comm) : teamRail(net.comm)) : options.team;
    self.handle =
      options.handle === undefined
        ? tag === 'world'
          ? net.comm.worldGinBarrier
          : net.comm.railGinBarrier
        : options.handle;
    self.limit = u32(net.comm.ginSignalCount);
  },
  methods: {
    sync: {
      params: { coop, order, 'fence?': { kind: 'word', words: fences }, 'timeoutCycles?': u64 },
      body: (
        { syncAt, syncAtOrTimeOut }: Context<typeof uses>,
        self: GinBarrierState,
        coop: Coop,
        order: MemoryOrder,
        fence?: GinFence,
        timeoutCycles?: number,
      ) => {
        const asked = fence === undefined ? 'putGet' : fence;
        if (timeoutCycles !== undefined) return syncAtOrTimeOut(self, coop, order, asked, timeoutCycles);
        syncAt(self, coop, order, asked);
        return undefined;
      },
    },
  },
});
