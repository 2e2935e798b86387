import { teamWorld } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

const asks = { ginConnectionType: 'full', ginSignalCount: 1 } as const;
const use = { gin, lsa, teamWorld };
const result = (rank: number): readonly number[] => [rank === 0 ? 0 : dataWord(0, 0)];

/**
 * Rank 0 puts, and signals after rank 1 has asked. Rank 1 asks and waits again and again, or it
 * waits once and asks after the read.
 */
const arrival = (AGAIN: boolean): BugKernel =>
  kernel(
    { name: `arrivalInTime_${AGAIN}`, use: { ...use, AGAIN }, params },
    ({ gin, lsa, teamWorld, AGAIN, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        net.put(world, 1, inbox, 0, data, 0, 4);
        net.waitSignal(coopThread(), 0, 1);
        net.signal(world, 1, gin.strongSignalInc(0));
        net.flush(coopThread());
      } else {
        if (AGAIN) {
          net.signal(world, 0, gin.weakSignalInc(0));
          while (net.waitSignal(coopThread(), 0, 1, { timeoutCycles: 50 }) !== 0) {}
        } else net.waitSignal(coopThread(), 0, 1, { timeoutCycles: 50 });
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        if (!AGAIN) {
          net.signal(world, 0, gin.weakSignalInc(0));
          net.waitSignal(coopThread(), 0, 1);
        }
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const ignoredTimeout: BugClass = {
  id: 'G22',
  title: 'a time-out is mistaken for a wait whose condition held',
  programs: [
    bugProgram({
      name: 'G22/wait-ignored',
      lsaSize: 1,
      asks,
      launches: [{ kernel: arrival(false) }],
      expects: {
        kind: 'race',
        lines: ['const seen =', 'net.put('],
        anyOrder: true,
        missing: ['completion'],
      },
    }),
    bugProgram({
      name: 'G22/wait-repeated',
      lsaSize: 1,
      asks,
      launches: [{ kernel: arrival(true) }],
      result,
      expects: 'clean',
    }),
  ],
};
