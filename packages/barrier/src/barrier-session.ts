import {
  ginBarrierHandle,
  lsaBarrierHandle,
  multimemHandle,
  team,
  teamLsa,
  teamRail,
  type DevComm,
} from '@nccl-ts/devcomm';
import { fenceParam, gin, ginType, type GinBarrierSession } from '@nccl-ts/gin';
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
import { lsa, type LsaBarrierSession } from '@nccl-ts/lsa';
import type { Barrier, BarrierOptions } from './barrier-module.ts';

interface BarrierState {
  railed: boolean;
  lsaBarrier: LsaBarrierSession;
  ginBarrier: GinBarrierSession;
  worldBarrier: GinBarrierSession;
}

const barrierOptions: OptionsParam<BarrierOptions> = {
  kind: 'options',
  members: {
    innerTeam: team,
    outerTeam: team,
    innerHandle: lsaBarrierHandle,
    outerHandle: ginBarrierHandle,
    multimem: flagParam,
    innerMmHandle: multimemHandle,
  },
};

/** Implements {@link Barrier.session}. */
export const session: DeviceFn<Barrier['session']> = deviceSession({
  name: 'barrier.session',
  use: { gin, lsa, teamLsa, teamRail },
  state: sessionState<BarrierState>({ railed: 'fixed', lsaBarrier: 'part', ginBarrier: 'part', worldBarrier: 'part' }),
  params: {
    coop: coopParam,
    net: ginType,
    tag: wordParam(['world', 'lsa', 'rail']),
    index: u32,
    'options?': barrierOptions,
  },
  ctor: ({ gin, lsa, teamLsa, teamRail, requires, addr, u32 }, self, { coop, net, tag, index, options }) => {
    const comm: DevComm = net.comm;
    const multimem = options.multimem === undefined ? false : options.multimem;
    self.railed = comm.ginContextsRailed;
    // The parts' own preconditions are weaker. A rail index that is too large may still belong to
    // another barrier.
    if (options.outerHandle === undefined) {
      requires(
        index < u32(comm.hybridLsaBarrier.nBarriers),
        'hybrid barrier index {}, but the device communicator has {}: createDevComm({ barrierCount: {} })',
        index,
        comm.hybridLsaBarrier.nBarriers,
        addr(index) + 1,
      );
    }
    if (tag !== 'rail') {
      self.lsaBarrier = lsa.barrierSession(coop, comm, index, {
        team: options.innerTeam === undefined ? teamLsa(comm) : options.innerTeam,
        handle: options.innerHandle === undefined ? comm.hybridLsaBarrier : options.innerHandle,
        multimem,
        mmHandle: options.innerMmHandle === undefined ? comm.lsaMultimem : options.innerMmHandle,
      });
    }
    if (tag !== 'lsa') {
      self.ginBarrier = gin.barrierSession(coop, net, 'rail', index, {
        team: options.outerTeam === undefined ? teamRail(comm) : options.outerTeam,
        handle: options.outerHandle === undefined ? comm.hybridRailGinBarrier : options.outerHandle,
      });
    }
    if (tag === 'world' && options.outerHandle === undefined) {
      self.worldBarrier = gin.barrierSession(coop, net, 'world', index, { handle: comm.hybridWorldGinBarrier });
    }
  },
  methods: {
    sync: {
      params: { coop: coopParam, order: orderParam, 'fence?': fenceParam, 'timeoutCycles?': u64 },
      body: ({ clock, min, u32 }, self, { coop, order, fence, timeoutCycles }) => {
        const requested = fence === undefined ? 'putGet' : fence;
        const ofPuts = requested === 'put' || requested === 'putGet';
        if (timeoutCycles === undefined) {
          if (self.worldBarrier !== undefined && ofPuts && !self.railed) self.worldBarrier.sync(coop, order, requested);
          else {
            if (self.lsaBarrier !== undefined) {
              self.lsaBarrier.sync(coop, order);
            }
            if (self.ginBarrier !== undefined) {
              self.ginBarrier.sync(coop, order, requested);
            }
          }
          return undefined;
        }
        let result = u32(0);
        if (self.worldBarrier !== undefined && ofPuts && !self.railed) {
          result = self.worldBarrier.sync(coop, order, requested, timeoutCycles);
        } else {
          let left = timeoutCycles;
          if (self.lsaBarrier !== undefined) {
            const start = clock();
            result = self.lsaBarrier.sync(coop, order, timeoutCycles);
            left -= min(clock() - start, left);
          }
          if (self.ginBarrier !== undefined) {
            const across = self.ginBarrier.sync(coop, order, requested, left);
            if (result === 0) result = across;
          }
        }
        return result;
      },
    },
  },
});
