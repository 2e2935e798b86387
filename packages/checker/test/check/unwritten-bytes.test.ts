import type { SimBackend } from '@nccl-ts/backend-sim';
import { check, explore } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';

/** Stores the first byte of a word, and loads the word. */
const half = kernel({ name: 'half', use: { lsa }, params: { win: window } }, ({ lsa, u8, u32 }, { win }) => {
  const words = lsa.localPointer(win, u32, 0);
  lsa.localPointer(win, u8, 0).store(0, 5);
  words.store(1, words.load(0));
});

function program(isFilled: boolean): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      if (isFilled) await win.write(Uint32Array.of(1, 2, 3, 4));
      await comm.launch(half, { grid: 1, block: 1 }, { win });
      await comm.synchronize();
    });
  };
}

const told = (report: CheckReport | undefined): readonly string[] | undefined =>
  report?.findings.map(({ severity, kind }) => `${severity} ${kind}`);

it('a load of a word of a window of which only a byte was stored is a note', async () => {
  expect(told(await check({ ranks: 1 }, program(false)))).toEqual(['note uninitialised']);
  expect(told(await check({ ranks: 1 }, program(true)))).toEqual([]);
});

it('a load of a word of a window of which only a byte was stored is an error of both engines under strict', async () => {
  for (const isFilled of [false, true]) {
    const expected = isFilled ? [] : ['error uninitialised'];
    expect(told(await check({ ranks: 1, strict: true }, program(isFilled)))).toEqual(expected);
    const explored = await explore({ ranks: 1, strict: true, mode: 'check' }, program(isFilled), { runs: 10 });
    expect(told(explored.report)).toEqual(expected);
  }
});
