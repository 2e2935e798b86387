import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, type HostOf, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { fabricRequires, wordOf } from './words.ts';

const words = 32;
const use = { cft, lsa };
const params = { comm: devComm, win: window, out: window };
type BarrierKernel = Kernel<{ readonly [Name in keyof typeof params]: HostOf<(typeof params)[Name]> }>;

const barrierRequires = { ...fabricRequires, primitives: ['cft.post', 'cft.arriveAt'] } as const;

/** Two rounds: each rank puts to the next one, and reads its words after the barrier. */
function exchange(MULTIMEM: boolean): BarrierKernel {
  return kernel(
    { name: `fabricBarrier_${MULTIMEM}`, use: { ...use, MULTIMEM }, params },
    ({ cft, lsa, MULTIMEM, coopCta, sharedArray, threadIdx, u32, u64 }, { comm, win, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 32);
      const t = threadIdx.x;
      const fabric = cft.session(coopCta(), smem);
      const bar = cft.barrierSession(coopCta(), comm, 1, { multimem: MULTIMEM });
      const first = MULTIMEM ? comm.rank - comm.lsaRank : 0;
      const size = MULTIMEM ? comm.lsaSize : comm.nRanks;
      const next = first + ((comm.rank - first + 1) % size);
      for (let round = u32(0); round < 2; round++) {
        part.store(t, u32(comm.rank) * 1000 + round * 32 + t);
        cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'block');
        const le = cft.peerLeInfo(win, round * 128, next, comm);
        fabric.put(coopCta(), le.leId, le.leOffset, part, 128);
        fabric.submit(coopCta());
        fabric.flush(coopCta());
        if (round === 0) bar.sync(coopCta(), 'acq_rel', 'fabric', 'generic');
        else {
          bar.arrive(coopCta(), 'release', 'fabric', 'generic');
          bar.wait(coopCta(), 'acquire', 'fabric', 'generic');
        }
        lsa.localPointer(out, u32, 0).store(round * 32 + t, lsa.localPointer(win, u32, 0).load(round * 32 + t));
      }
    },
  );
}

const [flat, multimem] = [exchange(false), exchange(true)];

interface BarrierCase<Id extends string> {
  readonly id: Id;
  readonly mirrors: string;
  readonly kernel: BarrierKernel;
  readonly multimem: boolean;
}

/** Two launches, so that the second one begins with a saved epoch. */
function barrierCase<const Id extends string>(of: BarrierCase<Id>): Case<Id> {
  return defineCase({
    id: of.id,
    mirrors: of.mirrors,
    requires: of.multimem ? { ...barrierRequires, multimem: true } : barrierRequires,
    ranks: of.multimem ? [2, 4] : [1, 2, 4],
    lsaSizes: of.multimem ? [2] : [1, 2],
    kernels: [of.kernel],
    run: async ({ run, shape: { ranks, lsaSize } }) => {
      await run(async (comm) => {
        const win = await comm.allocWindow('u32', 2 * words);
        const out = await comm.allocWindow('u32', 2 * words);
        const cftCaps = of.multimem ? 'cftMultimem' : 'cft';
        const dev = await comm.createDevComm({ cftCaps, cftBarrierCount: 2 });
        const [size, first] = of.multimem ? [lsaSize, comm.rank - comm.lsaRank] : [ranks, 0];
        const from = first + ((comm.rank - first + size - 1) % size);
        for (let launch = 0; launch < 2; launch++) {
          await win.write(count(2 * words).map(() => 9));
          await meet(comm);
          await comm.launch(of.kernel, { grid: 1, block: words }, { comm: dev, win, out });
          expectValues(
            `rank ${comm.rank}, launch ${launch}`,
            await out.read(),
            count(2 * words).map((i) => wordOf(from, i)),
          );
          await meet(comm);
        }
      });
    },
  });
}

export const fabricBarrier: Case<'fabric/barriers/unicast'> = barrierCase({
  id: 'fabric/barriers/unicast',
  mirrors: 'ncclCftBarrierSession: sync, arrive and wait over all ranks with endpoints',
  kernel: flat,
  multimem: false,
});

export const fabricBarrierMulticast: Case<'fabric/barriers/multicast'> = barrierCase({
  id: 'fabric/barriers/multicast',
  mirrors: 'ncclCftBarrierSession with multimem: sync, arrive and wait over a multicast group',
  kernel: multimem,
  multimem: true,
});

/** Rank 0 waits for a rank that does not come, and then for one that has come. */
const inTime = kernel({ name: 'fabricBarrierInTime', use, params }, ({ cft, lsa, coopThread, u32 }, { comm, out }) => {
  if (comm.rank === 0) {
    const bar = cft.barrierSession(coopThread(), comm, 0);
    const late = bar.sync(coopThread(), 'acq_rel', 'generic', 'fabric', 100);
    lsa.localPointer(out, u32, 0).store(0, late);
  } else lsa.localPointer(out, u32, 0).store(0, 0);
  const other = cft.barrierSession(coopThread(), comm, 1);
  lsa.localPointer(out, u32, 0).store(1, other.sync(coopThread(), 'relaxed', 'fabric', 'fabric', 1_000_000));
});

export const fabricBarrierTimeLimit: Case<'fabric/barriers/time-limit'> = defineCase({
  id: 'fabric/barriers/time-limit',
  mirrors: 'ncclCftBarrierSession::sync with timeoutCycles: ncclTimeout, or ncclSuccess',
  requires: barrierRequires,
  ranks: [2],
  kernels: [inTime],
  run: async ({ run }) => {
    await run(async (comm) => {
      const win = await comm.allocWindow('u32', 2);
      const out = await comm.allocWindow('u32', 2);
      const dev = await comm.createDevComm({ cftCaps: 'cft', cftBarrierCount: 2 });
      await comm.launch(inTime, { grid: 1, block: 1 }, { comm: dev, win, out });
      expectValues(`rank ${comm.rank}`, await out.read(), [comm.rank === 0 ? 8 : 0, 0]);
      await meet(comm);
    });
  },
});
