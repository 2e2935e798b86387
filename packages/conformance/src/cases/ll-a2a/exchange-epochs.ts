import type { Communicator } from '@nccl-ts/communicator';
import {
  devComm,
  llA2AHandle,
  resourceLocalPointer,
  team,
  window,
  type DevCommArg,
  type LLA2AHandle,
  type WindowArg,
} from '@nccl-ts/devcomm';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import type { Team } from '@nccl-ts/topology';
import type { TeamChoice } from '../../case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { createSlots } from './create-slots.ts';

interface SlotArgs {
  comm: DevCommArg;
  handle: LLA2AHandle;
}

/**
 * In each epoch every thread sends a number to each member, and mixes the received ones into one.
 */
export const exchange: Kernel<SlotArgs & { team: Team; win: WindowArg; first: number; epochs: number }> = kernel(
  {
    name: 'exchange',
    use: { llA2A, lsa },
    params: { comm: devComm, team, handle: llA2AHandle, win: window, first: u32, epochs: u32 },
  },
  ({ llA2A, lsa, coopCta, threadIdx, blockIdx, blockDim, u32, i32 }, { comm, team, handle, win, first, epochs }) => {
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
    const mixed = lsa.localPointer(win, u32, 0);
    const at = blockIdx.x * blockDim.x + threadIdx.x;
    let sum = mixed.load(at);
    for (let epoch = first; epoch < first + epochs; epoch++) {
      const own = u32(team.rank) * 1000003 + epoch * 101 + threadIdx.x * 7 + blockIdx.x * 3;
      for (let peer = i32(0); peer < team.nRanks; peer++) {
        session.send(peer, team.rank * blockDim.x + threadIdx.x, own + u32(peer) * 10007);
      }
      for (let from = i32(0); from < team.nRanks; from++) {
        sum = sum * 31 + session.recv(u32, from * blockDim.x + threadIdx.x);
      }
      session.endEpoch(coopCta());
    }
    mixed.store(at, sum);
  },
);

export interface EpochLaunch {
  readonly grid: number;
  readonly block: number;
}

/** The contents on a rank after epochs 0 to `epochs` - 1 of `exchange`. */
export function mixed(of: Team, { grid, block: threads }: EpochLaunch, epochs: number): readonly number[] {
  return count(grid).flatMap((cta) =>
    count(threads).map((thread) => {
      let sum = 0;
      for (const epoch of count(epochs)) {
        for (const from of count(of.nRanks)) {
          const sent = from * 1000003 + epoch * 101 + thread * 7 + cta * 3 + of.rank * 10007;
          sum = (Math.imul(sum, 31) + sent) >>> 0;
        }
      }
      return sum;
    }),
  );
}

/** The saved epochs, one for each block. */
export const readSaved: Kernel<SlotArgs & { win: WindowArg }> = kernel(
  {
    name: 'readSaved',
    use: { lsa, resourceLocalPointer },
    params: { comm: devComm, handle: llA2AHandle, win: window },
  },
  ({ lsa, resourceLocalPointer, threadIdx, u32 }, { comm, handle, win }) => {
    const words = resourceLocalPointer(comm, u32, handle.bufHandle);
    lsa.localPointer(win, u32, 0).store(threadIdx.x, words.load(4 * threadIdx.x * (1 + 2 * handle.nSlots)));
  },
);

/** Sets up a block with a saved epoch, and with slots in the state after epoch number `stale`. */
export const seed: Kernel<SlotArgs & { saved: number; stale: number }> = kernel(
  {
    name: 'seed',
    use: { resourceLocalPointer },
    params: { comm: devComm, handle: llA2AHandle, saved: u32, stale: u32 },
  },
  ({ resourceLocalPointer, threadIdx, blockIdx, blockDim, u32 }, { comm, handle, saved, stale }) => {
    const lines = 1 + 2 * handle.nSlots;
    const words = resourceLocalPointer(comm, u32, handle.bufHandle).offset(4 * blockIdx.x * lines);
    for (let word = threadIdx.x + 4; word < 4 * lines; word += blockDim.x) words.store(word, stale);
    if (threadIdx.x === 0) words.store(0, saved);
  },
);

/** Epochs whose numbers wrap around, in CTAs that each have a session. */
export interface WrapAround {
  readonly team: TeamChoice;
  readonly ctas: number;
  readonly threads: number;
  /**
   * The number of the first epoch, the number of epochs, and the number of the epoch after the
   * last.
   */
  readonly begin: number;
  readonly epochs: number;
  readonly end: number;
}

/**
 * Runs past the last epoch number on every rank, and checks the received values and the saved
 * epochs.
 */
export async function wrapAroundOn(comm: Communicator, around: WrapAround): Promise<void> {
  const { begin, epochs, end } = around;
  const shape = { grid: around.ctas, block: around.threads };
  const slots = await createSlots(comm, around.team, shape.grid, (of) => of.nRanks * shape.block);
  const { comm: dev, handle } = slots;
  const win = await comm.allocWindow('u32', shape.grid * shape.block);
  await comm.launch(seed, shape, { comm: dev, handle, saved: begin - 2, stale: 0 });
  await meet(comm);
  await comm.launch(exchange, shape, { ...slots, win, first: 0, epochs });
  expectValues(`from epoch ${begin} on`, await win.read(), mixed(slots.team, shape, epochs));
  await comm.launch(readSaved, { grid: 1, block: shape.grid }, { comm: dev, handle, win });
  const saved = (await win.read()).subarray(0, shape.grid);
  expectValues(
    'saved',
    saved,
    count(shape.grid).map(() => end - 2),
  );
}
