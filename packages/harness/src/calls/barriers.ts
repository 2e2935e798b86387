import { barrier } from '@nccl-ts/barrier';
import { devComm, ginBarrierHandle, lsaBarrierHandle, team } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { i32, kernel, u32, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { deviceCall, numberOf, asNcclSays, type ModelledCalls } from './device-call.ts';
import { groupOf } from './group-of.ts';
import { fenceOf, orderOf } from './words.ts';

const members = { teamRanks: i32, teamRank: i32, teamStride: i32 };

/** Barriers over ranks. Each call is a separate session. */
export const barrierCalls: ModelledCalls = new Map([
  [
    '__nccl_ts_gin_barrier',
    deviceCall(
      'context coop! all! team! teamRanks teamRank teamStride signal0 index order! fence!',
      asNcclSays,
      (known) => {
        const order = orderOf(numberOf(known, 'order'));
        const fence = fenceOf(numberOf(known, 'fence'));
        if (order === undefined || fence === undefined) return undefined;
        const words = { ORDER: order, FENCE: fence, group: groupOf(numberOf(known, 'coop')), ALL: known['all'] === 1 };
        if (known['team'] === 2) return ownGinBarrier(words);
        return ginBarrier({ ...words, TAG: known['team'] === 1 ? 'rail' : 'world' });
      },
    ),
  ],
  [
    '__nccl_ts_lsa_barrier',
    deviceCall(
      'coop! step! own! teamRanks teamRank teamStride bufHandle nBarriers index multimem! order!',
      asNcclSays,
      (known) => {
        const order = orderOf(numberOf(known, 'order'));
        if (order === undefined) return undefined;
        const words = {
          ORDER: order,
          group: groupOf(numberOf(known, 'coop')),
          STEP: numberOf(known, 'step'),
          MULTIMEM: known['multimem'] === 1,
        };
        return known['own'] === 1 ? ownLsaBarrier(words) : lsaBarrier(words);
      },
    ),
  ],
  [
    '__nccl_ts_barrier',
    deviceCall('context coop! team! index multimem! order! fence!', asNcclSays, (known) => {
      const order = orderOf(numberOf(known, 'order'));
      const fence = fenceOf(numberOf(known, 'fence'));
      const tag = (['world', 'rail', 'lsa'] as const)[numberOf(known, 'team')];
      if (order === undefined || fence === undefined || tag === undefined) return undefined;
      return hybridBarrier({
        ORDER: order,
        FENCE: fence,
        TAG: tag,
        group: groupOf(numberOf(known, 'coop')),
        MULTIMEM: known['multimem'] === 1,
      });
    }),
  ],
]);

interface GinWords {
  readonly ORDER: NonNullable<ReturnType<typeof orderOf>>;
  readonly FENCE: NonNullable<ReturnType<typeof fenceOf>>;
  readonly group: DeviceFn<() => Coop>;
  readonly ALL: boolean;
}

function ginBarrier(words: GinWords & { readonly TAG: 'world' | 'rail' }) {
  return kernel(
    {
      name: 'ncclGinBarrierSession::sync',
      use: { gin, ...words },
      params: { comm: devComm, context: u32, index: u32 },
    },
    ({ gin, group, TAG, ALL, ORDER, FENCE }, { comm, context, index }) => {
      const coop = group();
      const session = gin.barrierSession(coop, gin.context(comm, context), TAG, index, { allContexts: ALL });
      session.sync(coop, ORDER, FENCE);
    },
  );
}

function ownGinBarrier(words: GinWords) {
  return kernel(
    {
      name: 'ncclGinBarrierSession::sync',
      use: { gin, Team: team, Handle: ginBarrierHandle, ...words },
      params: { comm: devComm, context: u32, ...members, signal0: u32, index: u32 },
    },
    (
      { gin, Team, Handle, group, ALL, ORDER, FENCE },
      { comm, context, teamRanks, teamRank, teamStride, signal0, index },
    ) => {
      const coop = group();
      const session = gin.barrierSession(coop, gin.context(comm, context), 'world', index, {
        team: Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
        handle: Handle({ signal0 }),
        allContexts: ALL,
      });
      session.sync(coop, ORDER, FENCE);
    },
  );
}

interface LsaWords {
  readonly ORDER: NonNullable<ReturnType<typeof orderOf>>;
  readonly group: DeviceFn<() => Coop>;
  /** The action: 1 is arrive, 2 is wait, 3 is both. */
  readonly STEP: number;
  readonly MULTIMEM: boolean;
}

function lsaBarrier(words: LsaWords) {
  return kernel(
    { name: 'ncclLsaBarrierSession', use: { lsa, ...words }, params: { comm: devComm, index: u32 } },
    ({ lsa, group, STEP, MULTIMEM, ORDER }, { comm, index }) => {
      const coop = group();
      const session = lsa.barrierSession(coop, comm, index, { multimem: MULTIMEM });
      if (STEP === 1) session.arrive(coop, ORDER);
      else if (STEP === 2) session.wait(coop, ORDER);
      else session.sync(coop, ORDER);
    },
  );
}

function ownLsaBarrier(words: LsaWords) {
  return kernel(
    {
      name: 'ncclLsaBarrierSession',
      use: { lsa, Team: team, Handle: lsaBarrierHandle, ...words },
      params: { comm: devComm, ...members, bufHandle: u32, nBarriers: i32, index: u32 },
    },
    (
      { lsa, Team, Handle, group, STEP, MULTIMEM, ORDER },
      { comm, teamRanks, teamRank, teamStride, bufHandle, nBarriers, index },
    ) => {
      const coop = group();
      const session = lsa.barrierSession(coop, comm, index, {
        team: Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
        handle: Handle({ bufHandle, nBarriers }),
        multimem: MULTIMEM,
      });
      if (STEP === 1) session.arrive(coop, ORDER);
      else if (STEP === 2) session.wait(coop, ORDER);
      else session.sync(coop, ORDER);
    },
  );
}

function hybridBarrier(words: {
  readonly ORDER: NonNullable<ReturnType<typeof orderOf>>;
  readonly FENCE: NonNullable<ReturnType<typeof fenceOf>>;
  readonly TAG: 'world' | 'rail' | 'lsa';
  readonly group: DeviceFn<() => Coop>;
  readonly MULTIMEM: boolean;
}) {
  return kernel(
    {
      name: 'ncclBarrierSession::sync',
      use: { barrier, gin, ...words },
      params: { comm: devComm, context: u32, index: u32 },
    },
    ({ barrier, gin, group, TAG, MULTIMEM, ORDER, FENCE }, { comm, context, index }) => {
      const coop = group();
      const session = barrier.session(coop, gin.context(comm, context), TAG, index, { multimem: MULTIMEM });
      session.sync(coop, ORDER, FENCE);
    },
  );
}
