import { cft } from '@nccl-ts/cft';
import { devComm } from '@nccl-ts/devcomm';
import { kernel, type Kernel } from '@nccl-ts/kernel';

/** Fences of the fabric proxy, of NCCL 2.31. */
export const fabricFences: Kernel = kernel(
  { name: 'fabricFences', use: { cft }, params: { comm: devComm } },
  ({ cft, coopCta, coopThread, fenceProxy }) => {
    cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'system');
    cft.memFence(coopCta(), 'acquire', 'fabric', 'generic', 'system');
    cft.memFence(coopCta(), 'acq_rel', 'fabric', 'fabric', 'system');
    cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
    fenceProxy('fabric', 'generic', 'generic', 'seq_cst');
  },
);
