import { devComm, lsaBarrierHandle, lsaBarrierCreateRequirement, team } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';

const shape = { grid: 1, block: 32 };

const anyIndex = kernel(
  { name: 'anyBarrierIndex', use: { lsa }, params: { comm: devComm, n: u32 } },
  ({ lsa, coopCta }, { comm, n }) => {
    const bar = lsa.barrierSession(coopCta(), comm, n);
    bar.sync(coopCta(), 'acq_rel');
  },
);

export const indexPastCount: Case<'traps/barriers/index-past-count'> = trapCase({
  id: 'traps/barriers/index-past-count',
  mirrors: 'ncclLsaBarrierSession with an index of lsaBarrierCount or more, which hits other state',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  ranks: [1],
  kernels: [anyIndex],
  prepare: async (comm) => comm.createDevComm({ lsaBarrierCount: 3 }),
  launch: async (comm, dev, n) => comm.launch(anyIndex, shape, { comm: dev, n }),
  harmless: () => [0, 2],
  harmful: () => [3, 4, 2 ** 31],
});

const ownHandle = kernel(
  { name: 'anyIndexOfHandle', use: { lsa }, params: { comm: devComm, of: team, handle: lsaBarrierHandle, n: u32 } },
  ({ lsa, coopCta }, { comm, of, handle, n }) => {
    const bar = lsa.barrierSession(coopCta(), comm, n, { team: of, handle });
    bar.arrive(coopCta(), 'release');
    bar.wait(coopCta(), 'acquire');
  },
);

export const indexPastHandle: Case<'traps/barriers/index-past-handle'> = trapCase({
  id: 'traps/barriers/index-past-handle',
  mirrors: 'ncclLsaBarrierSession with a handle of its own and an index past its nBarriers',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  ranks: [1],
  kernels: [ownHandle],
  prepare: async (comm) => {
    const { requirement, handleOf } = lsaBarrierCreateRequirement(comm.teamLsa(), 2);
    // The communicator's own barriers would have room for the index.
    const dev = await comm.createDevComm({ lsaBarrierCount: 8, resourceRequirementsList: [requirement] });
    const [resource] = dev.plan.resources;
    if (resource === undefined) throw new Error('The plan has no resource for its requirement.');
    return { comm: dev, of: comm.teamLsa(), handle: handleOf(resource) };
  },
  launch: async (comm, args, n) => comm.launch(ownHandle, shape, { ...args, n }),
  harmless: () => [0, 1],
  harmful: () => [2, 7],
});

const byMulticast = kernel(
  { name: 'multimemBarrier', use: { lsa }, params: { comm: devComm, n: u32 } },
  ({ lsa, coopCta }, { comm, n }) => {
    if (n === 1) lsa.barrierSession(coopCta(), comm, 0, { multimem: true }).sync(coopCta(), 'acq_rel');
    else lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
  },
);

export const multimemWithoutHandle: Case<'traps/barriers/multimem-without-handle'> = trapCase({
  id: 'traps/barriers/multimem-without-handle',
  mirrors: 'ncclLsaBarrierSession with multimem, of a communicator without lsaMultimem',
  check: 'misuse',
  code: 'NCCLTS_MISUSE',
  requires: { multimem: true },
  ranks: [1],
  kernels: [byMulticast],
  prepare: async (comm) => comm.createDevComm({ lsaBarrierCount: 1 }),
  launch: async (comm, dev, n) => comm.launch(byMulticast, shape, { comm: dev, n }),
  harmless: () => [0],
  harmful: () => [1],
});
