import {
  devComm,
  expectGroup,
  lsaBarrierHandle,
  multimemHandle,
  resourceLocalPointer,
  team,
  teamLsa,
} from '@nccl-ts/devcomm';
import {
  coopParam,
  deviceSession,
  flagParam,
  orderParam,
  sessionState,
  u32,
  u64,
  type DeviceFn,
  type OptionsParam,
} from '@nccl-ts/kernel';
import { arriveAt, savedEpoch, waitAt, waitAtOrTimeOut } from './impl/lsa-barrier-functions.ts';
import type { LsaBarrierState } from './impl/lsa-barrier-state.ts';
import type { Lsa, LsaBarrierOptions } from './lsa-module.ts';

const barrierOptions: OptionsParam<LsaBarrierOptions> = {
  kind: 'options',
  members: { team, handle: lsaBarrierHandle, multimem: flagParam, mmHandle: multimemHandle },
};

const timed = { coop: coopParam, order: orderParam, 'timeoutCycles?': u64 };

/** Implements {@link Lsa.barrierSession}. */
export const barrierSession: DeviceFn<Lsa['barrierSession']> = deviceSession({
  name: 'lsa.barrierSession',
  use: { teamLsa, resourceLocalPointer, savedEpoch, arriveAt, expectGroup, waitAt, waitAtOrTimeOut },
  state: sessionState<LsaBarrierState>({
    comm: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    index: 'fixed',
    coop: 'fixed',
    multimem: 'fixed',
    mmHandle: 'fixed',
    epoch: u32,
  }),
  params: { coop: coopParam, comm: devComm, index: u32, 'options?': barrierOptions },
  ctor: ({ teamLsa, resourceLocalPointer, savedEpoch, requires, addr, u32 }, self, { coop, comm, index, options }) => {
    self.coop = coop;
    self.comm = comm;
    self.index = index;
    self.team = options.team === undefined ? teamLsa(comm) : options.team;
    self.handle = options.handle === undefined ? comm.lsaBarrier : options.handle;
    requires(
      index < u32(self.handle.nBarriers),
      options.handle === undefined
        ? 'LSA barrier index {}, but the device communicator has {}: createDevComm({ lsaBarrierCount: {} })'
        : 'LSA barrier index {}, but its handle has {}: lsaBarrierCreateRequirement(team, {})',
      index,
      self.handle.nBarriers,
      addr(index) + 1,
    );
    self.multimem = options.multimem === undefined ? false : options.multimem;
    self.mmHandle = options.mmHandle === undefined ? comm.lsaMultimem : options.mmHandle;
    self.epoch = resourceLocalPointer(comm, u32, self.handle.bufHandle).load(savedEpoch(self));
  },
  methods: {
    arrive: {
      params: { coop: coopParam, order: orderParam },
      body: ({ arriveAt, expectGroup }, self, { coop, order }) => {
        expectGroup(self.coop, coop);
        arriveAt(self, coop, order);
      },
    },
    wait: {
      params: timed,
      body: ({ expectGroup, waitAt, waitAtOrTimeOut }, self, { coop, order, timeoutCycles }) => {
        expectGroup(self.coop, coop);
        if (timeoutCycles !== undefined) return waitAtOrTimeOut(self, coop, order, timeoutCycles);
        waitAt(self, coop, order);
        return undefined;
      },
    },
    sync: {
      params: timed,
      body: ({ arriveAt, expectGroup, waitAt, waitAtOrTimeOut }, self, { coop, order, timeoutCycles }) => {
        expectGroup(self.coop, coop);
        arriveAt(self, coop, order);
        if (timeoutCycles !== undefined) return waitAtOrTimeOut(self, coop, order, timeoutCycles);
        waitAt(self, coop, order);
        return undefined;
      },
    },
  },
  dtor: ({ resourceLocalPointer, savedEpoch, u32 }, self) => {
    if (self.coop.threadRank() === 0) {
      const saved = resourceLocalPointer(self.comm, u32, self.handle.bufHandle);
      saved.store(savedEpoch(self), self.epoch);
    }
    self.coop.sync();
  },
});
