import type { MemoryOrder } from '@nccl-ts/core';
import { ginBarrierHandle, team, teamRail, teamWorld, type GinBarrierHandle } from '@nccl-ts/devcomm';
import {
  coopParam,
  deviceSession,
  flagParam,
  orderParam,
  sessionState,
  u32,
  u64,
  wordParam,
  type CoopLike,
  type DeviceFn,
  type OptionsParam,
} from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { fenceParam, type GinFence } from './gin-fence.ts';
import type { GinModule } from './gin-module.ts';
import { ginStruct } from './impl/gin-struct.ts';
import { syncAt, syncAtOrTimeOut } from './impl/gin-barrier-forms.ts';
import type { GinBarrierState } from './impl/gin-barrier-state.ts';

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

const barrierOptions: OptionsParam<GinBarrierOptions> = {
  kind: 'options',
  members: { team, handle: ginBarrierHandle, allContexts: flagParam },
};

/** @see {@link GinModule.barrierSession} */
export const barrierSession: DeviceFn<GinModule['barrierSession']> = deviceSession({
  name: 'gin.barrierSession',
  use: { teamWorld, teamRail, syncAt, syncAtOrTimeOut },
  state: sessionState<GinBarrierState>({
    net: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    index: 'fixed',
    limit: 'fixed',
    allContexts: 'fixed',
  }),
  params: {
    coop: coopParam,
    net: ginStruct,
    tag: wordParam(['world', 'rail']),
    index: u32,
    'options?': barrierOptions,
  },
  ctor: ({ teamWorld, teamRail, u32 }, self, { net, tag, index, options }) => {
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
      params: { coop: coopParam, order: orderParam, 'fence?': fenceParam, 'timeoutCycles?': u64 },
      body: ({ syncAt, syncAtOrTimeOut }, self, { coop, order, fence, timeoutCycles }) => {
        const asked = fence === undefined ? 'putGet' : fence;
        if (timeoutCycles !== undefined) return syncAtOrTimeOut(self, coop, order, asked, timeoutCycles);
        syncAt(self, coop, order, asked);
        return undefined;
      },
    },
  },
});
