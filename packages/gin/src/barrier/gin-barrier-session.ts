import { expectGroup, ginBarrierHandle, team, teamRail, teamWorld } from '@nccl-ts/devcomm';
import {
  coopParam,
  deviceSession,
  flagParam,
  orderParam,
  sessionState,
  u32,
  u64,
  wordParam,
  type DeviceFn,
  type OptionsParam,
} from '@nccl-ts/kernel';
import { fenceParam } from './gin-fence.ts';
import type { GinBarrierOptions, GinModule } from '../gin-module.ts';
import { ginStruct } from '../impl/gin-struct.ts';
import { syncAt, syncAtOrTimeOut } from './gin-barrier-forms.ts';
import type { GinBarrierState } from './gin-barrier-state.ts';

const barrierOptions: OptionsParam<GinBarrierOptions> = {
  kind: 'options',
  members: { team, handle: ginBarrierHandle, allContexts: flagParam },
};

/** Implements {@link GinModule.barrierSession}. */
export const barrierSession: DeviceFn<GinModule['barrierSession']> = deviceSession({
  name: 'gin.barrierSession',
  use: { expectGroup, teamWorld, teamRail, syncAt, syncAtOrTimeOut },
  state: sessionState<GinBarrierState>({
    coop: 'fixed',
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
  ctor: ({ teamWorld, teamRail, u32 }, self, { coop, net, tag, index, options }) => {
    self.coop = coop;
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
      body: ({ expectGroup, syncAt, syncAtOrTimeOut }, self, { coop, order, fence, timeoutCycles }) => {
        expectGroup(self.coop, coop);
        const requested = fence === undefined ? 'putGet' : fence;
        if (timeoutCycles !== undefined) return syncAtOrTimeOut(self, coop, order, requested, timeoutCycles);
        syncAt(self, coop, order, requested);
        return undefined;
      },
    },
  },
});
