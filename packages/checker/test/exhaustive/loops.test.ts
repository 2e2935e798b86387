import { explore } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { exploreKernel } from './run-kernel.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const params = { comm: devComm, shared: window, found: window };
const use = { lsa };

const spins = kernel({ name: 'spins', use, params }, ({ lsa, u32 }, { comm, shared, found }) => {
  const words = lsa.pointer(shared, u32, 0, 0);
  if (comm.rank === 0) words.store(0, 7, 'release', 'system');
  else {
    let seen = u32(0);
    while (seen === 0) seen = words.load(0, 'acquire', 'system');
    lsa.localPointer(found, u32, 0).store(0, seen);
  }
});

const locks = kernel({ name: 'locks', use, params }, ({ lsa, u32 }, { comm, shared, found }) => {
  const words = lsa.pointer(shared, u32, 0, 0);
  while (words.atomicExch(0, 1, 'acquire', 'system') !== 0);
  const entered = words.load(1) + 1;
  words.store(1, entered);
  words.store(0, 0, 'release', 'system');
  lsa.localPointer(found, u32, 0).store(0, entered + comm.rank - comm.rank);
});

const counts = kernel({ name: 'counts', use, params }, ({ lsa, u32, waitUntil }, { comm, shared, found }) => {
  const words = lsa.pointer(shared, u32, 0, 0);
  if (comm.rank === 0) for (let i = u32(0); i < 3; i++) words.store(i, i + 1, 'release', 'system');
  else {
    waitUntil(() => words.load(2, 'acquire', 'system') === 3);
    let product = u32(1);
    for (let i = u32(0); i < 3; i++) product *= words.load(i);
    lsa.localPointer(found, u32, 0).store(0, product + 1);
  }
});

const updates = kernel({ name: 'updates', use, params }, ({ lsa, u32, max }, { comm, shared, found }) => {
  const words = lsa.pointer(shared, u32, 0, 0);
  let seen = words.load(0, 'relaxed', 'system');
  for (;;) {
    const before = words.atomicCas(0, seen, max(seen, u32(comm.rank) + 3), 'relaxed', 'system');
    if (before === seen) break;
    seen = before;
  }
  lsa.localPointer(found, u32, 0).store(0, seen);
});

/**
 * The choice between two numbers leaves the loaded value undecided, so the store may come first.
 */
const chooses = kernel({ name: 'chooses', use, params }, ({ lsa, u32 }, { comm, shared, found }) => {
  const words = lsa.pointer(shared, u32, 0, 0);
  const seen = words.load(comm.rank, 'relaxed', 'system');
  const chosen = seen === 1 ? u32(5) : u32(6);
  words.store(1 - comm.rank, 1, 'relaxed', 'system');
  lsa.localPointer(found, u32, 0).store(0, chosen);
});

describe('the loops of a kernel', { timeout: 60_000 }, () => {
  it.each([
    ['leave the value that ended them', spins, ['0 7']],
    ['take a lock in any order', locks, ['1 2', '2 1']],
    ['run as often as they count', counts, ['0 7']],
    ['around a compare-and-swap are one update', updates, ['0 3', '4 0']],
  ] as const)('%s', async (_, loops, expected) => {
    const { outcomes, complete, kinds } = await exploreKernel(loops, { ranks: 2 });
    expect({ outcomes, complete, kinds }).toEqual({ outcomes: expected, complete: true, kinds: [] });
  });

  it.for(slow)('that do not end are reported with the bound that they have reached', async () => {
    const endless = kernel({ name: 'endless', use, params }, ({ lsa, u32 }, { shared }) => {
      const words = lsa.localPointer(shared, u32, 0);
      while (words.atomicAdd(0, 0, 'relaxed', 'device') === 0) words.store(1, 1, 'relaxed', 'device');
    });
    const bounds: unknown[] = [];
    for (const fuel of [8, 1000]) {
      const { report } = await explore(
        { ranks: 1, mode: 'check', fuel },
        async (backend) => {
          const world = await World.open({ backend });
          await world.run(async (comm) => {
            const shared = await comm.allocWindow('u32', 4);
            await comm.launch(
              endless,
              { grid: 1, block: 1 },
              { comm: await comm.createDevComm(), shared, found: shared },
            );
            await comm.synchronize();
          });
        },
        { runs: 100 },
      );
      bounds.push(report?.proves);
    }
    const text = (rounds: number): string => `the loop does not end, even after ${rounds} rounds`;
    expect(bounds).toEqual(
      [8, 24].map((rounds) => ({ kind: 'nothing', bound: expect.stringContaining(text(rounds)) })),
    );
  });
});

it('a number that a condition chooses stays undecided with the condition', async () => {
  const { outcomes } = await exploreKernel(chooses, { ranks: 2 });
  expect(outcomes).toEqual(['5 5', '5 6', '6 5', '6 6']);
});
