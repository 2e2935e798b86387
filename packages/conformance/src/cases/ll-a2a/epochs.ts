import { devComm, llA2AHandle, resourceLocalPointer, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { exchange, mixed, readSaved, seed, wrapAroundOn } from './exchange-epochs.ts';
import { createSlots } from './create-slots.ts';

const requires = { scalars: ['u64'] } as const;
/**
 * Threads that each have their own values. Either every CTA of a launch has all threads, or they
 * are divided among CTAs that each have a session.
 */
const block = 32;
const ctas = 2;
const share = block / ctas;

/** Copies all slots unchanged. Each CTA copies a block. */
const readSlots = kernel(
  {
    name: 'readSlots',
    use: { lsa, resourceLocalPointer },
    params: { comm: devComm, handle: llA2AHandle, win: window },
  },
  ({ lsa, resourceLocalPointer, threadIdx, blockIdx, blockDim, u32 }, { comm, handle, win }) => {
    const words = 4 * (1 + 2 * handle.nSlots);
    const slots = resourceLocalPointer(comm, u32, handle.bufHandle).offset(blockIdx.x * words);
    const out = lsa.localPointer(win, u32, 0).offset(blockIdx.x * words);
    for (let word = threadIdx.x; word < words; word += blockDim.x) out.store(word, slots.load(word));
  },
);

export const many: Case<'ll-a2a/epochs/many'> = defineCase({
  id: 'll-a2a/epochs/many',
  mirrors: 'ncclLLA2ASession::endEpoch, whose two banks are used in turn',
  requires,
  ranks: [1, 2, 4, 8],
  kernels: [exchange],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const shape = { grid: 3, block };
      const epochs = 9;
      const slots = await createSlots(comm, choice, shape.grid, (of) => of.nRanks * block);
      const win = await comm.allocWindow('u32', shape.grid * block);
      await comm.launch(exchange, shape, { ...slots, win, first: 0, epochs });
      expectValues(`rank ${comm.rank}`, await win.read(), mixed(slots.team, shape, epochs));
    });
  },
});

export const acrossLaunches: Case<'ll-a2a/epochs/across-launches'> = defineCase({
  id: 'll-a2a/epochs/across-launches',
  mirrors: '~ncclLLA2ASession, which saves the epoch',
  requires,
  ranks: [1, 2, 4],
  kernels: [exchange, readSaved],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const shape = { grid: ctas, block };
      const slots = await createSlots(comm, choice, ctas, (of) => of.nRanks * block);
      const win = await comm.allocWindow('u32', ctas * block);
      const saved = await comm.allocWindow('u32', ctas);
      let first = 0;
      for (const epochs of [1, 3, 0, 2]) {
        await comm.launch(exchange, shape, { ...slots, win, first, epochs });
        first += epochs;
        const { comm: dev, handle } = slots;
        await comm.launch(readSaved, { grid: 1, block: ctas }, { comm: dev, handle, win: saved });
        expectValues(`saved after ${first} epochs`, await saved.read(), [first, first]);
      }
      expectValues(`rank ${comm.rank}`, await win.read(), mixed(slots.team, shape, first));
    });
  },
});

export const wrapAround: Case<'ll-a2a/epochs/wrap-around'> = defineCase({
  id: 'll-a2a/epochs/wrap-around',
  mirrors: 'ncclLLA2ASession::endEpoch, 32 bits; 0 and 1 are no epochs',
  requires,
  ranks: [2, 4],
  kernels: [exchange, readSaved, seed],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      for (const [begin, end] of [
        [2 ** 32 - 1, 6],
        [2 ** 32 - 2, 5],
        [2 ** 32 - 4, 3],
      ] as const) {
        await wrapAroundOn(comm, { team: choice, ctas, threads: share, begin, epochs: 5, end });
      }
    });
  },
});

export const cleared: Case<'ll-a2a/epochs/cleared'> = defineCase({
  id: 'll-a2a/epochs/cleared',
  mirrors: 'ncclLLA2ASession::endEpoch, which clears the slots before epochs repeat',
  requires,
  ranks: [1, 2, 4],
  kernels: [exchange, readSlots, seed],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      // Twice as many slots as are used. The others contain only old flags.
      const slots = await createSlots(comm, choice, ctas, (of) => 2 * of.nRanks * share);
      const { comm: dev, handle } = slots;
      const shape = { grid: ctas, block: share };
      const win = await comm.allocWindow('u32', block);
      const words = ctas * 4 * (1 + 2 * handle.nSlots);
      const lines = await comm.allocWindow('u32', words);
      await comm.launch(seed, shape, { comm: dev, handle, saved: 2 ** 32 - 4, stale: 2 });
      await meet(comm);
      await comm.launch(exchange, shape, { ...slots, win, first: 0, epochs: 2 });
      expectValues(`rank ${comm.rank}`, await win.read(), mixed(slots.team, shape, 2));
      await comm.launch(readSlots, shape, { comm: dev, handle, win: lines });
      expectValues(
        'all lines',
        await lines.read(),
        count(words).map(() => 0),
      );
    });
  },
});
