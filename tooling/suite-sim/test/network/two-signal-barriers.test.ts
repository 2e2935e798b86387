import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { allCases, bugClasses, caseRuns, runCase } from '@nccl-ts/conformance';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { machineOf, runOn } from '../support/bug-program-runs.ts';
import { describeFinding, findingMatches } from '../support/finding-matches.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const barriers = 'signalEfficient';

/** A rank whose peer is fast sees two arrivals of that peer before the first of the other. */
const twice = kernel(
  { name: 'twice', use: { gin, lsa, teamWorld }, params: { comm: devComm, win: window } },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, win }) => {
    const net = gin.context(comm, 0);
    const bar = gin.barrierSession(coopThread(), net, 'world', 0);
    for (let peer = 0; peer < comm.nRanks; peer++) {
      net.putValue(teamWorld(comm), peer, win, u32(comm.rank) * 4, u32(10) + u32(comm.rank));
    }
    bar.sync(coopThread(), 'acq_rel', 'put');
    let sum = u32(0);
    for (let peer = 0; peer < comm.nRanks; peer++) sum += lsa.localPointer(win, u32, 0).load(peer);
    bar.sync(coopThread(), 'acq_rel', 'none');
    lsa.localPointer(win, u32, 32).store(0, sum);
  },
);

const cases = allCases.filter(({ id }) =>
  /^(gin\/barriers\/|hybrid-barriers\/(per-index|timeout\/in-time|world\/fence-put)$)/.test(id),
);

describe('barriers of networks that have few signals', () => {
  it.each(
    cases
      .map((one) => [one.id, one] as const)
      .filter((row) => (row[0] === 'gin/barriers/fence-put-get') !== inject('slow')),
  )('with two signals, the case %s passes', async (_id, one) => {
    const run = caseRuns([one]).findLast(({ variant }) => variant === 'plain');
    if (run === undefined) throw new Error('no shape');
    const { verdict, error } = await runCase(run, { backend: (shape) => sim({ ...shape, gin: { barriers } }) });
    if (verdict.verdict !== 'pass') throw new Error(JSON.stringify(verdict), { cause: error });
    expect(verdict.verdict).toBe('pass');
  });

  const programs = bugClasses
    .flatMap((one) => one.programs)
    .filter(({ name }) => /^G22\/(gin|hybrid)-barrier/.test(name) || /^G\d+\/.*(barrier|fence)/.test(name));

  it.each(
    programs.map((one) => [one.name, one] as const).filter((row) => (row[0] === 'G9/barrier') !== inject('slow')),
  )('with two signals, the check of %s gives the expected report', async (_name, program) => {
    const machine = machineOf(program);
    const { findings } = await check({ ...machine, gin: { ...machine.gin, barriers } }, runOn(program));
    const { expects } = program;
    if (expects === 'clean') expect(findings.map(describeFinding)).toEqual([]);
    else expect(findings.some((finding) => findingMatches(finding, expects))).toBe(true);
  });

  it.for(quick)('an arrival at the next sync does not count for this one', async () => {
    const { verdict } = await check({ ranks: 3, lsaSize: 1, gin: { barriers } }, async (backend) => {
      const world = await World.open({ backend });
      try {
        const sums = await world.run(async (comm) => {
          const win = await comm.allocWindow('u32', 9);
          await win.write(new Uint32Array(9));
          const dev = await comm.createDevComm({ ginConnectionType: 'full', worldGinBarrierCount: 1 });
          await comm.launch(twice, { grid: 1, block: 1 }, { comm: dev, win });
          return (await win.read())[8];
        });
        expect(sums).toEqual([33, 33, 33]);
      } finally {
        await world.close();
      }
    });
    expect(verdict).toBe('clean');
  });

  it.for(quick)('a barrier of eight ranks uses two signals instead of eight', async () => {
    const counts = await Promise.all(
      (['perPeer', barriers] as const).map(async (form) => {
        const world = await World.open({ backend: sim({ ranks: 8, gin: { barriers: form } }) });
        const made = await world.run((comm) =>
          comm.createDevComm({ ginConnectionType: 'full', worldGinBarrierCount: 3, railGinBarrierCount: 1 }),
        );
        await world.close();
        return made[0]?.plan.ginSignalCount;
      }),
    );
    expect(counts).toEqual([25, 8]);
  });
});
