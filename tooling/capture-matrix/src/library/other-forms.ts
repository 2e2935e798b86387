import { devComm, symPtr, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { reduceCopy } from '@nccl-ts/reduce-copy';

/** Forms of device functions that no case of the conformance suite calls. */
export const otherForms = kernel(
  {
    name: 'otherForms',
    use: { lsa, reduceCopy },
    params: { comm: devComm, win: window, src: symPtr(f32), dst: symPtr(f32), count: u32 },
  },
  ({ lsa, reduceCopy, coopCta, f32 }, { comm, win, src, dst, count }) => {
    reduceCopy.lsaCopy(coopCta(), lsa.localPointer(win, f32, 0), win, 64, count, comm);
    reduceCopy.lsaReduceSumCopy(coopCta(), src, dst, count, comm);
  },
);
