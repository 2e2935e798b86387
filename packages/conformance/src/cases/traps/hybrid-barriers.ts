import { barrier } from '@nccl-ts/barrier';
import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { devComm } from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import type { Case } from '../../case.ts';
import { trapCase } from '../fixture/trap-case.ts';
import { hybridRequires } from '../hybrid-barriers/create-hybrid-barriers.ts';

const misuse = { check: 'misuse', code: 'NCCLTS_MISUSE', requires: hybridRequires, ranks: [1] } as const;

const anyIndex = (TAG: 'world' | 'lsa' | 'rail', FENCE: GinFence) =>
  kernel(
    { name: `anyHybridIndex_${TAG}_${FENCE}`, use: { barrier, gin, TAG, FENCE }, params: { comm: devComm, n: u32 } },
    ({ barrier, gin, TAG, FENCE, coopCta }, { comm, n }) => {
      const bar = barrier.session(coopCta(), gin.context(comm, 0), TAG, n);
      bar.sync(coopCta(), 'acq_rel', FENCE);
    },
  );

/** Signals and other state follow the barriers, so an index that is too large would reach them. */
async function withOthersBehind(comm: Communicator): Promise<DevComm> {
  const others = { ginSignalCount: 8, bufferSize: 4096 };
  return comm.createDevComm({ ginConnectionType: 'full', barrierCount: 3, resourceRequirementsList: [others] });
}

const worldPut = anyIndex('world', 'put');
const worldNone = anyIndex('world', 'none');
const nearOnly = anyIndex('lsa', 'none');
const railOnly = anyIndex('rail', 'put');
const byKind = [worldPut, worldNone, nearOnly, railOnly];

export const indexPastCount: Case<'traps/hybrid-barriers/index-past-count'> = trapCase({
  id: 'traps/hybrid-barriers/index-past-count',
  mirrors: 'ncclBarrierSession with an index of barrierCount or more, which hits other state',
  ...misuse,
  kernels: byKind,
  prepare: withOthersBehind,
  launch: async (comm, dev, n) => {
    // The last digit selects the kernel.
    const one = byKind[n % 10];
    if (one === undefined) throw new Error(`There is no kernel ${n % 10}.`);
    await comm.launch(one, { grid: 1, block: 32 }, { comm: dev, n: Math.floor(n / 10) });
  },
  harmless: () => [0, 20, 21, 22, 23],
  harmful: () => [30, 31, 32, 33, 40_000, 40_003],
});

const oneThread = kernel(
  { name: 'hybridOfOneThread', use: { barrier, gin }, params: { comm: devComm, n: u32 } },
  ({ barrier, gin, coopThread, threadIdx }, { comm, n }) => {
    if (n === 1 && threadIdx.x === 0) {
      barrier.session(coopThread(), gin.context(comm, 0), 'world', 0).sync(coopThread(), 'acq_rel', 'put');
    }
  },
);

export const tooFewThreads: Case<'traps/hybrid-barriers/too-few-threads'> = trapCase({
  id: 'traps/hybrid-barriers/too-few-threads',
  mirrors: 'ncclBarrierSession of R ranks with a group of fewer than R - 1 threads',
  ...misuse,
  ranks: [4, 8],
  lsaSizes: [2, 4],
  kernels: [oneThread],
  prepare: withOthersBehind,
  launch: async (comm, dev, n) => comm.launch(oneThread, { grid: 1, block: 32 }, { comm: dev, n }),
  harmless: () => [0],
  harmful: () => [1],
});
