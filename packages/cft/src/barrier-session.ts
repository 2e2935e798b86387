import { devComm, resourceLocalPointer } from '@nccl-ts/devcomm';
import {
  coopParam,
  deviceSession,
  flagParam,
  orderParam,
  proxyParam,
  sessionState,
  u32,
  u64,
  type DeviceFn,
  type OptionsParam,
} from '@nccl-ts/kernel';
import { arrive, wait } from './impl/barrier-functions.ts';
import type { CftBarrierState } from './impl/barrier-state.ts';
import { team, teamMultimem } from './teams.ts';
import type { CftBarrierOptions } from './cft-barrier-session.ts';
import type { Cft } from './cft-module.ts';

const options: OptionsParam<CftBarrierOptions> = { kind: 'options', members: { multimem: flagParam } };
const call = { coop: coopParam, order: orderParam, producer: proxyParam, consumer: proxyParam };
const timed = { ...call, 'timeoutCycles?': u64 };

/** @see {@link Cft.barrierSession} */
export const barrierSession: DeviceFn<Cft['barrierSession']> = deviceSession({
  name: 'cft.barrierSession',
  use: { team, teamMultimem, resourceLocalPointer, arrive, wait },
  state: sessionState<CftBarrierState>({
    comm: 'fixed',
    coop: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    index: 'fixed',
    multimem: 'fixed',
    epoch: u32,
  }),
  params: { coop: coopParam, comm: devComm, index: u32, 'options?': options },
  ctor: ({ team, teamMultimem, resourceLocalPointer, requires, addr, u32 }, self, { coop, comm, index, options }) => {
    self.coop = coop;
    self.comm = comm;
    self.index = index;
    self.multimem = options.multimem === undefined ? false : options.multimem;
    self.team = self.multimem ? teamMultimem(comm) : team(comm);
    self.handle = self.multimem ? comm.cftMultimemBarrier : comm.cftBarrier;
    requires(
      index < u32(self.handle.nBarriers),
      'CFT barrier index {}, but the device communicator has {}: createDevComm({ cftBarrierCount: {} }), and cftCaps',
      index,
      self.handle.nBarriers,
      addr(index) + 1,
    );
    self.epoch = resourceLocalPointer(comm, u32, self.handle.bufHandle).load(index);
  },
  methods: {
    arrive: { params: call, body: ({ arrive }, self, call) => arrive(self, call) },
    wait: { params: timed, body: ({ wait }, self, call) => wait(self, call, call.timeoutCycles) },
    sync: {
      params: timed,
      body: ({ arrive, wait }, self, call) => {
        arrive(self, call);
        return wait(self, call, call.timeoutCycles);
      },
    },
  },
  dtor: ({ resourceLocalPointer, u32 }, self) => {
    if (self.coop.threadRank() === 0) {
      resourceLocalPointer(self.comm, u32, self.handle.bufHandle).store(self.index, self.epoch);
    }
    self.coop.sync();
  },
});
