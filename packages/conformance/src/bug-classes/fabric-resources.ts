import { cft } from '@nccl-ts/cft';
import { resourceLocalPointer } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const requirements = { cftCaps: 'cft', resourceRequirementsList: [{ bufferSize: 16 }] } as const;

/** The rank puts to its own resource buffer, and reads the words before or after the flush. */
const put = (FLUSH: boolean): BugKernel =>
  kernel(
    { name: `putToResource_${FLUSH}`, use: { cft, lsa, resourceLocalPointer, FLUSH }, params },
    ({ cft, lsa, resourceLocalPointer, FLUSH, coopThread, sharedArray, u32, u64 }, { comm, out }) => {
      const part = sharedArray(u32, 4);
      const fabric = cft.session(coopThread(), sharedArray(u64, 2));
      for (let i = u32(0); i < 4; i++) part.store(i, 40 + i);
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      const le = cft.resourceLeInfo(comm, 0, comm.rank);
      fabric.put(coopThread(), le.leId, le.leOffset, part, 16); // the put
      fabric.submit(coopThread());
      if (FLUSH) fabric.flush(coopThread());
      cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
      cft.memFence(coopThread(), 'acquire', 'fabric', 'generic', 'system');
      const seen = resourceLocalPointer(comm, u32, 0).load(3); // the read
      lsa.localPointer(out, u32, 0).store(0, seen);
      if (!FLUSH) fabric.flush(coopThread());
    },
  );

export const fabricResources: BugClass = {
  id: 'F11',
  title: 'a resource buffer is read before the flush of a put to its endpoint',
  programs: [
    bugProgram({
      name: 'F11/no-flush',
      ranks: 1,
      requirements,
      launches: [{ kernel: put(false) }],
      expects: { kind: 'race', lines: ['// the read', '// the put'], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'F11/flush',
      ranks: 1,
      requirements,
      launches: [{ kernel: put(true) }],
      result: () => [43],
      expects: 'clean',
    }),
  ],
};
