import { explore, type ExploredExecution } from '@nccl-ts/checker';
import { sim, type SimTurn } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';

/** Rank 0 stores a value and a flag at rank 1, which copies both. */
const pass = kernel({ name: 'pass', use: { lsa }, params: { comm: devComm, win: window } }, ({ lsa, u32 }, p) => {
  if (p.comm.lsaRank === 0) {
    const there = lsa.pointer(p.win, u32, 0, 1);
    there.store(0, 42, 'relaxed', 'system');
    there.store(1, 1, 'relaxed', 'system');
  } else {
    const here = lsa.localPointer(p.win, u32, 0);
    const flag = here.load(1, 'relaxed', 'system');
    here.store(2, flag * 100 + here.load(0, 'relaxed', 'system'));
  }
});

async function program(comm: Communicator): Promise<void> {
  const win = await comm.allocWindow(u32, 4);
  await win.write(new Uint32Array([7, 0, 0, 0]));
  const dev = await comm.createDevComm({});
  await comm.launch(pass, { grid: 1, block: 1 }, { comm: dev, win });
}

it('each turn reports which words it has written, by which thread and at which line', async () => {
  const turns: SimTurn[] = [];
  const world = await World.open({ backend: sim({ ranks: 2, mode: 'check', onTurn: (turn) => turns.push(turn) }) });
  await world.run(program);
  await world.close();
  const [first, ...rest] = turns;
  expect(first?.cta).toBe(undefined);
  expect(first?.writes.map(({ rank, by }) => [rank, by[0]?.agent])).toContainEqual([1, 'host']);
  const stores = rest.flatMap(({ cta, writes }) =>
    writes.map(({ rank, offset, bytes, by }) => [
      cta?.rank,
      rank,
      offset,
      bytes[0],
      by.at(-1)?.place?.quote.text.trim(),
    ]),
  );
  expect(stores).toContainEqual([0, 1, 0, 42, "there.store(0, 42, 'relaxed', 'system');"]);
  expect(stores).toContainEqual([0, 1, 4, 1, "there.store(1, 1, 'relaxed', 'system');"]);
});

it('an onTurn listener needs a check', () => {
  expect(() => sim({ ranks: 2, onTurn: () => {} })).toThrow(/onTurn is for mode check; given with mode run/);
});

it('each execution names the write that each read has taken', async () => {
  const executions: ExploredExecution[] = [];
  const { complete } = await explore(
    { ranks: 2, mode: 'check' },
    async (backend) => {
      const world = await World.open({ backend });
      try {
        await world.run(program);
      } finally {
        await world.close();
      }
    },
    { runs: 100 },
    { onExecution: (execution) => executions.push(execution) },
  );
  expect(complete).toBe(true);
  const values = executions.map(({ reads }) => reads.map(({ value }) => Number(value)).join(' ')).toSorted();
  // A new flag with an old value, because the two stores are not ordered.
  expect(values).toEqual(['0 42', '0 7', '1 42', '1 7']);
  const stale = executions.find(({ reads }) => reads.map(({ value }) => Number(value)).join(' ') === '1 7');
  expect(stale?.reads.map(({ took }) => took[0]?.by?.agent)).toEqual(['thread', undefined]);
  const stores = stale?.writes.map(({ by, place, value }) => [
    by.rank,
    'offset' in place && place.offset,
    Number(value),
  ]);
  expect(stores).toContainEqual([0, 0, 42]);
  expect(stores).toContainEqual([0, 4, 1]);
  // The flag that was read is one of the writes.
  expect(stale?.writes.map(({ event }) => event)).toContain(stale?.reads[0]?.took[0]?.event);
});
