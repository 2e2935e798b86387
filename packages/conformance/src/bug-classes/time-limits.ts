import { teamWorld } from '@nccl-ts/devcomm';
import type { MissingKind } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { barrier } from '@nccl-ts/barrier';
import type { BugClass, BugProgram } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel, type BugProgramDefinition } from './bug-program.ts';

const requirements = { ginConnectionType: 'full', ginSignalCount: 1 } as const;
const use = { gin, lsa, teamWorld };
const result = (rank: number): readonly number[] => [rank === 0 ? 0 : dataWord(0, 0)];

/**
 * Rank 0 puts, and signals after rank 1 has requested it. Rank 1 requests and waits repeatedly, or
 * it waits once and requests after the read.
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

/** The waits after which rank 0 may overwrite the source of its put. */
type SourceWait = 'flush' | 'request' | 'counter';

/** Rank 0 puts, waits with a time limit, and writes its source again: always, or only if it may. */
const source = (WAIT: SourceWait, IGNORES: boolean): BugKernel =>
  kernel(
    { name: `sourceInTime_${WAIT}_${IGNORES}`, use: { ...use, WAIT, IGNORES }, params },
    ({ gin, lsa, teamWorld, WAIT, IGNORES, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        net.put(world, 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0), { localAction: gin.weakCounterInc(0) });
        let outcome = u32(0);
        if (WAIT === 'flush') outcome = net.flush(coopThread(), 'acquire', 4000);
        else if (WAIT === 'request') outcome = net.wait(net.flushAsync(world, 1), 'acquire', 4000);
        else outcome = net.waitCounter(coopThread(), 0, 1, { timeoutCycles: 4000 });
        if (IGNORES || outcome === 0) lsa.localPointer(data, u32, 0).store(0, 7);
      } else {
        net.waitSignal(coopThread(), 0, 1);
        lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0));
      }
    },
  );

/** Rank 1 waits for a put, and reads it: always, or only once it has arrived. */
const target = (VA: boolean, IGNORES: boolean): BugKernel =>
  kernel(
    { name: `targetInTime_${VA}_${IGNORES}`, use: { ...use, VA, IGNORES }, params },
    ({ gin, lsa, teamWorld, VA, IGNORES, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        if (VA) net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakVASignalInc(inbox, 8));
        else net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
        net.flush(coopThread());
      } else {
        let outcome = u32(0);
        if (VA) outcome = net.waitVASignal(coopThread(), inbox, 8, 1, { timeoutCycles: 4000 });
        else outcome = net.waitSignal(coopThread(), 0, 1, { timeoutCycles: 4000 });
        if (IGNORES || outcome === 0) lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0)); // reads
      }
    },
  );

/** Both ranks store to their peer, synchronize, and read: always, or only if all have arrived. */
const meeting = (BARRIER: 'lsa' | 'gin' | 'hybrid', IGNORES: boolean): BugKernel =>
  kernel(
    { name: `meetingInTime_${BARRIER}_${IGNORES}`, use: { ...use, barrier, BARRIER, IGNORES }, params },
    ({ gin, lsa, barrier, teamWorld, BARRIER, IGNORES, coopCta, u32 }, { comm, data, inbox, out }) => {
      const world = teamWorld(comm);
      const net = gin.context(comm, 0);
      const peer = 1 - comm.rank;
      let outcome = u32(0);
      if (BARRIER === 'lsa') {
        lsa.pointer(inbox, u32, 0, peer).store(0, lsa.localPointer(data, u32, 0).load(0)); // brings
        outcome = lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel', 4000);
      } else {
        net.put(world, peer, inbox, 0, data, 0, 4); // brings
        if (BARRIER === 'gin')
          outcome = gin.barrierSession(coopCta(), net, 'world', 0).sync(coopCta(), 'acq_rel', 'put', 4000);
        else outcome = barrier.session(coopCta(), net, 'world', 0).sync(coopCta(), 'acq_rel', 'put', 4000);
      }
      if (IGNORES || outcome === 0) lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0)); // reads
    },
  );

/** A program that is right only if its time limit does not expire, and the right program. */
const twins = (
  name: string,
  of: (ignores: boolean) => BugKernel,
  lines: readonly [string, string],
  missing: MissingKind,
  definition: Omit<BugProgramDefinition, 'name' | 'launches' | 'expects'>,
): readonly BugProgram[] => [
  bugProgram({
    ...definition,
    name: `G22/${name}-ignored`,
    launches: [{ kernel: of(true) }],
    expects: { kind: 'race', lines, anyOrder: true, sometimes: true, missing: [missing] },
  }),
  bugProgram({ ...definition, name: `G22/${name}-obeyed`, launches: [{ kernel: of(false) }], expects: 'clean' }),
];

export const ignoredTimeout: BugClass = {
  id: 'G22',
  title: 'a time-out is mistaken for a wait whose condition held',
  programs: [
    bugProgram({
      name: 'G22/wait-ignored',
      lsaSize: 1,
      requirements,
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
      requirements,
      launches: [{ kernel: arrival(true) }],
      result,
      expects: 'clean',
    }),
    ...(['flush', 'request', 'counter'] as const).flatMap((one) =>
      twins(one, (ignores) => source(one, ignores), ['.store(0, 7)', 'net.put('], 'completion', {
        lsaSize: 1,
        requirements: { ...requirements, ginCounterCount: 1 },
      }),
    ),
    ...twins('signal', (ignores) => target(false, ignores), ['// reads', 'net.put('], 'completion', {
      lsaSize: 1,
      requirements,
    }),
    ...twins('va-signal', (ignores) => target(true, ignores), ['// reads', 'net.put('], 'completion', {
      lsaSize: 1,
      requirements,
      strictOrdering: true,
    }),
    ...twins('lsa-barrier', (ignores) => meeting('lsa', ignores), ['// reads', '// brings'], 'synchronisation', {
      requirements: { ...requirements, lsaBarrierCount: 1 },
    }),
    ...twins('gin-barrier', (ignores) => meeting('gin', ignores), ['// reads', '// brings'], 'completion', {
      lsaSize: 1,
      requirements: { ...requirements, worldGinBarrierCount: 1 },
    }),
    ...twins('hybrid-barrier', (ignores) => meeting('hybrid', ignores), ['// reads', '// brings'], 'completion', {
      lsaSize: 1,
      requirements: { ...requirements, barrierCount: 1 },
    }),
  ],
};
