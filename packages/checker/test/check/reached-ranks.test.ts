import { check, explore, type CheckOptions } from '@nccl-ts/checker';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import { renderReport, type CheckReport } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { describe, expect, inject, it } from 'vitest';
import { hosts } from './every-engine.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

type Params = { comm: DevCommArg; win: WindowArg };
const params = { comm: devComm, win: window };

const storesOwn = kernel({ name: 'storesOwn', use: { lsa }, params }, ({ lsa, threadIdx, u32 }, { win }) => {
  lsa.localPointer(win, u32, 0).store(threadIdx.x, 1);
});

/** Through the address by which peers reach it. */
const storesOwnAsPeer = kernel({ name: 'storesOwnAsPeer', use: { lsa }, params }, ({ lsa, u32 }, { comm, win }) => {
  lsa.pointer(win, u32, 0, comm.lsaRank).store(0, 1);
});

const meetsInCta = kernel({ name: 'meetsInCta', use: {}, params }, ({ sharedArray, coopCta, threadIdx, u32 }) => {
  const words = sharedArray(u32, 2);
  words[threadIdx.x] = 1;
  coopCta().sync();
  words[threadIdx.x ^ 1] = 2;
});

const storesToPeer = kernel(
  { name: 'storesToPeer', use: { lsa }, params },
  ({ lsa, threadIdx, u32 }, { comm, win }) => {
    const next = (comm.lsaRank + 1) % comm.lsaSize;
    if (threadIdx.x === 0) lsa.pointer(win, u32, 0, next).store(0, 1);
  },
);

const loadsFromPeer = kernel({ name: 'loadsFromPeer', use: { lsa }, params }, ({ lsa, assert, u32 }, { comm, win }) => {
  const next = (comm.lsaRank + 1) % comm.lsaSize;
  assert(lsa.pointer(win, u32, 0, next).load(0) === 7, 'the word is 7');
});

const addsToPeer = kernel({ name: 'addsToPeer', use: { lsa }, params }, ({ lsa, u32 }, { comm, win }) => {
  const next = (comm.lsaRank + 1) % comm.lsaSize;
  lsa.pointer(win, u32, 0, next).atomicAdd(0, 1, 'relaxed');
});

const meetsPeers = kernel({ name: 'meetsPeers', use: { lsa }, params }, ({ lsa, coopCta, blockIdx }, { comm }) => {
  lsa.barrierSession(coopCta(), comm, blockIdx.x).sync(coopCta(), 'acq_rel');
});

/** The host has written the word, so that no rank needs to. */
const waits = kernel({ name: 'waits', use: { lsa }, params }, ({ lsa, waitUntil, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  waitUntil(() => words.load(0, 'acquire') === 7);
});

const waitsForClock = kernel({ name: 'waitsForClock', use: { lsa }, params }, ({ lsa, clock, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  const begin = clock();
  let late = false;
  while (words.load(0, 'acquire') !== 7 && !late) late = clock() - begin > 1_000_000;
});

/** No thread waits for another: each round that fails shows that another thread made progress. */
const addsToOwn = kernel({ name: 'addsToOwn', use: { lsa }, params }, ({ lsa, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  for (let i = 0; i < 2; i++) words.atomicAdd(1, 1, 'relaxed');
});

const putsToPeer = kernel(
  { name: 'putsToPeer', use: { gin, teamWorld }, params },
  ({ gin, teamWorld, coopCta, u64 }, { comm, win }) => {
    const net = gin.context(comm, 0);
    const peer = (comm.rank + 1) % comm.nRanks;
    net.putValue(teamWorld(comm), peer, win, 8, u64(5));
    net.flush(coopCta());
  },
);

const putsToSelf = kernel(
  { name: 'putsToSelf', use: { gin, teamWorld }, params },
  ({ gin, teamWorld, u64 }, { comm, win }) => {
    gin.context(comm, 0).putValue(teamWorld(comm), comm.rank, win, 8, u64(5));
  },
);

const broadcasts = kernel({ name: 'broadcasts', use: { multimem }, params }, ({ multimem, u32 }, { comm, win }) => {
  if (comm.rank === 0) multimem.store(multimem.lsaPointer(win, u32, 0, comm), 1);
});

function programOf(kernelToRun: Kernel<Params>) {
  return hosts(async (comm: Communicator) => {
    const win = await comm.allocWindow('u32', 4);
    await win.write(new Uint32Array(4).fill(7));
    const hasGin = kernelToRun === putsToPeer || kernelToRun === putsToSelf;
    const dev = await comm.createDevComm({
      lsaBarrierCount: 1,
      lsaMultimem: kernelToRun === broadcasts,
      ...(hasGin ? { ginConnectionType: 'full' as const } : {}),
    });
    await comm.launch(kernelToRun, { grid: 1, block: 2 }, { comm: dev, win });
    await comm.synchronize();
  });
}

const alone = /no rank touched the memory of another and no wait was reached/;

async function reportsOf(kernelToRun: Kernel<Params>, more: Partial<Pick<CheckOptions, 'ranks' | 'local'>> = {}) {
  const options = { ranks: 2, ...more };
  const program = programOf(kernelToRun);
  const reports = new Map<string, CheckReport>();
  for (const strategy of ['auto', 'random', 'exhaustive'] as const)
    reports.set(strategy, await check({ ...options, strategy }, program));
  const { report } = await explore({ ...options, mode: 'check' }, program, { runs: 1000 });
  if (report !== undefined) reports.set('graph', report);
  return reports;
}

describe('a check of several ranks', () => {
  it.each(
    (
      [
        ['stores to its own memory', storesOwn],
        ['stores to its own memory by the address of peers', storesOwnAsPeer],
        ['meets only its own threads', meetsInCta],
        ['counts in its own memory', addsToOwn],
      ] as const
    ).filter((_, i) => (i === 0) !== inject('slow')),
  )('is incomplete if each rank %s', async (_, one) => {
    for (const [name, report] of await reportsOf(one)) {
      expect([name, report.verdict, report.scope.communicates]).toEqual([name, 'incomplete', false]);
      expect(renderReport(report)).toMatch(alone);
    }
    for (const [name, { verdict }] of await reportsOf(one, { local: true }))
      expect([name, verdict]).toEqual([name, 'clean']);
    for (const [name, { verdict }] of await reportsOf(one, { ranks: 1 }))
      expect([name, verdict]).toEqual([name, 'clean']);
  });

  it.each(
    (
      [
        ['stores to a peer', storesToPeer],
        ['loads from a peer', loadsFromPeer],
        ['changes a word of a peer', addsToPeer],
        ['meets its peers at a barrier', meetsPeers],
        ['waits for a word of its own memory', waits],
      ] as const
    ).filter(() => !inject('slow')),
  )('has its usual verdict if a rank %s', async (_, one) => {
    for (const [name, report] of await reportsOf(one))
      expect([name, report.scope.communicates, renderReport(report).match(alone)]).toEqual([name, true, null]);
  });

  it.for(quick)('counts loops that wait until a time', async () => {
    const { scope } = await check({ ranks: 2, strategy: 'random' }, programOf(waitsForClock));
    expect(scope.communicates).toBe(true);
  });

  it.for(quick)('counts the network and multicast addresses', async () => {
    for (const one of [putsToPeer, broadcasts]) {
      const { scope } = await check({ ranks: 2, strategy: 'random' }, programOf(one));
      expect([one.name, scope.communicates]).toEqual([one.name, true]);
    }
    expect((await check({ ranks: 2, strategy: 'random' }, programOf(putsToSelf))).scope.communicates).toBe(false);
  });

  it.for(quick)('names the sizes of all launches', async () => {
    const program = hosts(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      for (const grid of [1, { x: 2, y: 2 }])
        await comm.launch(meetsInCta, { grid, block: comm.rank === 0 ? 2 : { x: 1, y: 1 } }, { comm: dev, win });
      await comm.synchronize();
    });
    const launches = [
      { ranks: 2, ctas: 4, threads: 2 },
      { ranks: 2, ctas: 4, threads: 1 },
      { ranks: 2, ctas: 1, threads: 2 },
      { ranks: 2, ctas: 1, threads: 1 },
    ];
    expect((await check({ ranks: 2, local: true }, program)).scope.launches).toEqual(launches);
    const { report } = await explore({ ranks: 2, mode: 'check', local: true }, program, { runs: 1000 });
    expect(report?.scope.launches).toEqual(launches);
  });
});

describe.for(quick)('a program that launches no kernel', () => {
  const program = hosts(async (comm) => {
    await comm.allocWindow('u32', 4);
  });
  const noLaunch = {
    code: 'NCCLTS_NO_LAUNCH',
    message: 'cannot check the program because it launched no kernel; launch one on each rank with comm.launch.',
  };

  it.each(['auto', 'random', 'exhaustive'] as const)('has no verdict, with strategy %s', async (strategy) => {
    for (const options of [{ ranks: 2 }, { ranks: 1 }, { ranks: 2, local: true }])
      await expect(check({ ...options, strategy }, program)).rejects.toMatchObject(noLaunch);
  });

  it('cannot be explored', async () => {
    for (const mode of ['run', 'check'] as const)
      await expect(explore({ ranks: 2, mode }, program, { runs: 10 })).rejects.toMatchObject(noLaunch);
  });

  it('has no verdict if it opens no world', async () => {
    await expect(check({ ranks: 2 }, async () => {})).rejects.toMatchObject(noLaunch);
  });

  it('keeps its own error', async () => {
    const fails = async (): Promise<void> => {
      await using world = await World.open({ backend: (await import('@nccl-ts/backend-sim')).sim({ ranks: 1 }) });
      throw new RangeError(`no more than ${world.nRanks}`);
    };
    await expect(check({ ranks: 2 }, fails)).rejects.toThrow('no more than 1');
  });
});

it.for(quick)('local must be true or false', async () => {
  const message = 'local must be true or false; given 1.';
  // @ts-expect-error -- it must be a boolean
  await expect(check({ ranks: 2, local: 1 }, programOf(storesOwn))).rejects.toThrow(`check: ${message}`);
  // @ts-expect-error -- it must be a boolean
  await expect(explore({ ranks: 2, local: 1 }, programOf(storesOwn), { runs: 1 })).rejects.toThrow(
    `explore: ${message}`,
  );
});
