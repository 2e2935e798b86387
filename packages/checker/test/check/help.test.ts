import { check, type CheckOptions } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window, type DevCommRequirements } from '@nccl-ts/devcomm';
import { renderReport } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/*
 * Programs that lack one synchronization, and how the default check and the exhaustive one report
 * it.
 */

const params = { comm: devComm, inbox: window, out: window };

interface Lacking {
  readonly name: string;
  readonly machine: Pick<CheckOptions, 'ranks' | 'lsaSize'>;
  readonly asks?: DevCommRequirements;
  readonly grid?: number;
  readonly block?: number;
  readonly launches?: number;
  readonly kernel: typeof clears;
  readonly missing: readonly string[];
}

/**
 * Each rank clears its own words, and its peers store there. The threads synchronize, but a barrier
 * of the ranks is missing in between.
 */
const clears = kernel({ name: 'clears', use: { lsa }, params }, ({ lsa, coopCta, threadIdx, u32 }, { comm, inbox }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
  const t = threadIdx.x;
  bar.sync(coopCta(), 'acq_rel');
  lsa.localPointer(inbox, u32, 0).store(t, 0); // clears
  coopCta().sync();
  if (t === 0) for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(inbox, u32, 0, peer).store(comm.lsaRank, 1); // arrives
  bar.sync(coopCta(), 'acq_rel');
});

/**
 * Rank 0 puts twice to the same words of rank 1, and does not wait until rank 1 has read the first
 * data.
 */
const putsAgain = kernel(
  { name: 'putsAgain', use: { gin, lsa, teamWorld }, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, inbox, out }) => {
    const net = gin.context(comm, 0);
    for (let i = 0; i < 2; i++) {
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, out, 0, 4, gin.strongSignalInc(0)); // puts
      } else {
        net.waitSignal(coopThread(), 0, i + 1);
        lsa.localPointer(out, u32, 0).store(1, lsa.localPointer(inbox, u32, 0).load(0)); // reads
      }
    }
    net.flush(coopThread());
  },
);

/** Rank 1 waits with plain loads for a word that rank 0 stores with a plain store. */
const pollsPlainly = kernel(
  { name: 'pollsPlainly', use: { lsa }, params },
  ({ lsa, waitUntil, u32 }, { comm, inbox }) => {
    if (comm.lsaRank === 0) lsa.pointer(inbox, u32, 0, 1).store(0, 1);
    else waitUntil(() => lsa.localPointer(inbox, u32, 0).load(0) === 1);
  },
);

/**
 * There is no barrier at the start, so a rank may store to a peer that still reads data of an
 * earlier launch.
 */
const noEntryBarrier = kernel(
  { name: 'noEntryBarrier', use: { lsa }, params },
  ({ lsa, coopCta, u32 }, { comm, inbox, out }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const peer = (comm.lsaRank + 1) % comm.lsaSize;
    lsa.pointer(inbox, u32, 0, peer).store(0, comm.lsaRank, 'relaxed'); // sends
    bar.sync(coopCta(), 'acq_rel');
    lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0)); // takes
  },
);

/** Each CTA has its own barrier of the ranks, and reads what another CTA of a peer has stored. */
const readsOtherCta = kernel(
  { name: 'readsOtherCta', use: { lsa }, params },
  ({ lsa, coopCta, blockIdx, u32 }, { comm, inbox, out }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    const peer = (comm.lsaRank + 1) % comm.lsaSize;
    lsa.pointer(inbox, u32, 0, peer).store(blockIdx.x, 1); // sends
    bar.sync(coopCta(), 'acq_rel');
    lsa.localPointer(out, u32, 0).store(blockIdx.x, lsa.localPointer(inbox, u32, 0).load(1 - blockIdx.x)); // takes
  },
);

const programs: readonly Lacking[] = [
  {
    name: 'a barrier of all CTAs of the ranks',
    machine: { ranks: 2 },
    asks: { lsaBarrierCount: 2 },
    grid: 2,
    kernel: readsOtherCta,
    missing: ['synchronisation'],
  },
  {
    name: 'a barrier of the ranks',
    machine: { ranks: 2 },
    asks: { lsaBarrierCount: 1 },
    block: 2,
    kernel: clears,
    missing: ['synchronisation'],
  },
  {
    name: 'a word from the target of a put',
    machine: { ranks: 2, lsaSize: 1 },
    asks: { ginSignalCount: 1, ginConnectionType: 'full' },
    kernel: putsAgain,
    missing: ['completion', 'synchronisation'],
  },
  { name: 'acquire and release', machine: { ranks: 2 }, kernel: pollsPlainly, missing: ['strong'] },
  {
    name: 'a barrier at the beginning',
    machine: { ranks: 2 },
    asks: { lsaBarrierCount: 1 },
    launches: 2,
    kernel: noEntryBarrier,
    missing: ['synchronisation'],
  },
];

function runs({
  asks = {},
  grid = 1,
  block = 1,
  launches = 1,
  kernel: launched,
}: Lacking): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const inbox = await comm.allocWindow('u32', 16);
      const out = await comm.allocWindow('u32', 16);
      for (const win of [inbox, out]) await win.write(new Uint32Array(16));
      const dev = await comm.createDevComm(asks);
      for (let i = 0; i < launches; i++) await comm.launch(launched, { grid, block }, { comm: dev, inbox, out });
      await comm.synchronize();
    });
  };
}

/** Directories depend on the machine, and lines in other packages may change. */
function lasting(text: string): string {
  return text
    .replaceAll(/\S*\/test\/check\//g, '')
    .replaceAll(/^ +(?:= seen|= replay|= note: \d+:\d+ leads to|and that to).*\n/gm, '');
}

describe('a report names the missing synchronization', () => {
  it.each(programs)('$name: by default', async (program) => {
    const report = await check(program.machine, runs(program));
    const found = report.findings.filter(({ severity }) => severity === 'error');
    expect(found.flatMap(({ missing }) => missing.map(({ kind }) => kind))).toEqual(program.missing);
    await expect(lasting(renderReport(report))).toMatchFileSnapshot(`snapshots/help-${slug(program)}.txt`);
  });

  it.each(programs.filter(({ name }) => (name === 'a barrier at the beginning') !== inject('slow')))(
    '$name: in exhaustive mode',
    async (program) => {
      const report = await check({ ...program.machine, strategy: 'exhaustive', bound: 200 }, runs(program));
      const found = report.findings.filter(({ severity }) => severity === 'error');
      expect(found.flatMap(({ missing }) => missing.map(({ kind }) => kind))).toEqual(program.missing);
      await expect(lasting(renderReport(report))).toMatchFileSnapshot(`snapshots/help-${slug(program)}-exhaustive.txt`);
    },
  );
});

function slug({ name }: Lacking): string {
  return name.replaceAll(' ', '-');
}
