import { devComm } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** One round of the LSA barrier. */
export const barrierKernel = kernel(
  { name: 'oneBarrier', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
  },
);

/** A barrier at which the last rank does not arrive. */
export const lonelyBarrierKernel = kernel(
  { name: 'lonelyBarrier', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta }, { comm }) => {
    if (comm.lsaRank === comm.lsaSize - 1) return;
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
  },
);
