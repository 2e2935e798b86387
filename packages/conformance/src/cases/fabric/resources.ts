import { cft } from '@nccl-ts/cft';
import { devComm, resourceLocalPointer, window } from '@nccl-ts/devcomm';
import { bool, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { fabricRequires, wordOf } from './words.ts';

const words = 8;

/** Puts to a resource buffer: of two neighbours, or of all ranks of the multicast group. */
const put = kernel(
  {
    name: 'fabricResources',
    use: { cft, lsa, resourceLocalPointer },
    params: { comm: devComm, out: window, handle: u32, multicast: bool },
  },
  ({ cft, lsa, resourceLocalPointer, coopThread, sharedArray, u32, u64 }, { comm, out, handle, multicast }) => {
    const part = sharedArray(u32, 8);
    const fabric = cft.session(coopThread(), sharedArray(u64, 2));
    const bar = lsa.barrierSession(coopThread(), comm, 0);
    for (let i = u32(0); i < 8; i++) part.store(i, u32(comm.rank) * 1000 + i);
    cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
    const n = comm.nRanks;
    if (multicast) {
      const le = cft.resourceMultimemLeInfo(comm, handle);
      const to = le.leOffset + u64(u32(comm.lsaRank) * 32);
      fabric.putMultimem(coopThread(), le.leId, to, part, 32);
    } else {
      const next = cft.resourceLeInfo(comm, handle, (comm.rank + 1) % n);
      fabric.put(coopThread(), next.leId, next.leOffset, part, 32);
      const previous = cft.resourcePeerLeInfo(comm, handle, (comm.rank + n - 1) % n);
      fabric.put(coopThread(), previous.leId, previous.leOffset + u64(32), part, 32);
    }
    fabric.submit(coopThread());
    fabric.flush(coopThread());
    cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
    bar.sync(coopThread(), 'acq_rel');
    cft.memFence(coopThread(), 'acquire', 'fabric', 'generic', 'system');
    const from = resourceLocalPointer(comm, u32, handle);
    for (let i = u32(0); i < 16; i++) lsa.localPointer(out, u32, 0).store(i, from.load(i));
  },
);

const resourcesCase = <const Id extends string>(id: Id, multicast: boolean, mirrors: string): Case<Id> =>
  defineCase({
    id,
    mirrors,
    requires: multicast ? { ...fabricRequires, multimem: true } : fabricRequires,
    ranks: [2, 4],
    // The barrier in the kernel is over a load-store domain.
    ...(multicast && { lsaSizes: [2] }),
    kernels: [put],
    run: async ({ run, shape: { ranks } }) => {
      await run(async (comm) => {
        const out = await comm.allocWindow('u32', 2 * words);
        const dev = await comm.createDevComm({
          cftCaps: multicast ? 'cftMultimem' : 'cft',
          lsaBarrierCount: 1,
          resourceRequirementsList: [{ bufferSize: 64 }, { bufferSize: 8 * words }],
        });
        const handle = dev.plan.resources[1]?.bufHandle ?? -1;
        await comm.launch(put, { grid: 1, block: 1 }, { comm: dev, out, handle, multicast });
        const first = comm.rank - comm.lsaRank;
        const from = multicast ? [first, first + 1] : [(comm.rank + ranks - 1) % ranks, (comm.rank + 1) % ranks];
        expectValues(
          `rank ${comm.rank}`,
          await out.read(),
          from.flatMap((rank) => count(words).map((i) => wordOf(rank, i))),
        );
        await meet(comm);
      });
    },
  });

export const fabricResources: Case<'fabric/resources'> = resourcesCase(
  'fabric/resources',
  false,
  'ncclGetResourceBufferCftLeInfo and ncclGetResourceBufferPeerLeInfo: puts to resource buffers',
);

export const fabricResourcesMulticast: Case<'fabric/resources/multicast'> = resourcesCase(
  'fabric/resources/multicast',
  true,
  'ncclGetResourceBufferMultimemLeInfo: a put to the resource buffers of a multicast group',
);
