import { getLsaDevicePointer } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { trapCase } from '../fixture/trap-case.ts';
import { connect, ginRequires } from './connect.ts';

/** `WindowFlags.CollSymmetric` and `GinOnly`. */
const ginOnly = { flags: 5 } as const;
const requires = { ...ginRequires, ncclVersion: 23203 } as const;

const ring = kernel(
  { name: 'ringOfGinOnly', use: { gin, teamWorld }, params: { comm: devComm, src: window, dst: window } },
  ({ gin, teamWorld, coopThread }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    const next = (comm.rank + 1) % comm.nRanks;
    net.put(teamWorld(comm), next, dst, 8, src, 4, 4, gin.weakSignalInc(0));
    net.waitSignal(coopThread(), 0, 1);
    net.flush(coopThread());
  },
);

export const ginOnlyWindows: Case<'gin/windows/gin-only'> = defineCase({
  id: 'gin/windows/gin-only',
  mirrors: 'NCCL_WIN_GIN_ONLY: puts between windows that only the network can access',
  requires,
  ranks: [1, 2, 4],
  lsaSizes: [1, 2],
  kernels: [ring],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const dev = await connect(comm, { ginSignalCount: 1 });
      const src = await comm.allocWindow('u32', 4, ginOnly);
      const dst = await comm.allocWindow('u32', 4, ginOnly);
      await src.write(Uint32Array.of(1, 100 + comm.rank, 3, 4));
      await dst.write(Uint32Array.of(9, 9, 9, 9));
      expectThat(src.flags === 5, `The window has flags ${src.flags} instead of 5.`);
      expectThat(
        getLsaDevicePointer(dst, 0, 0) === null,
        'A host has an address in a window that only the network can access.',
      );
      await meet(comm);
      await comm.launch(ring, { grid: 1, block: 1 }, { comm: dev, src, dst });
      expectValues(`rank ${comm.rank}`, await dst.read(), [9, 9, 100 + ((comm.rank + ranks - 1) % ranks), 9]);
      await meet(comm);
    });
  },
});

const reach = kernel(
  { name: 'pointerIntoGinOnly', use: { lsa }, params: { comm: devComm, own: window, alone: window, n: u32 } },
  ({ lsa, u32 }, { comm, own, alone, n }) => {
    const out = lsa.localPointer(own, u32, 0);
    if (n === 1) out.store(1, lsa.pointer(alone, u32, 0, comm.lsaRank).load(0));
    else if (n === 2) lsa.localPointer(alone, u32, 0).store(0, 7);
    else out.store(0, 7);
  },
);

export const ginOnlyPointer: Case<'gin/traps/gin-only-pointer'> = trapCase({
  id: 'gin/traps/gin-only-pointer',
  mirrors: 'a pointer into a window that was registered with NCCL_WIN_GIN_ONLY',
  check: 'bounds',
  code: 'NCCLTS_OUT_OF_BOUNDS',
  requires,
  ranks: [1, 2],
  lsaSizes: [1, 2],
  kernels: [reach],
  prepare: async (comm) => ({
    comm: await connect(comm),
    own: await comm.allocWindow('u32', 4),
    alone: await comm.allocWindow('u32', 4, ginOnly),
  }),
  launch: async (comm, args, n) => comm.launch(reach, { grid: 1, block: 1 }, { ...args, n }),
  harmless: () => [0],
  harmful: () => [1, 2],
});
