import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, llA2ACalcSlots, llA2ACreateRequirement, llA2AHandle, teamLsa, window } from '@nccl-ts/devcomm';
import { i32, kernel, u32 } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';

export const block = 32;

/** Each rank sums the counts of the others, epoch after epoch. `silent` sends nothing. */
const counts = kernel(
  {
    name: 'counts',
    use: { llA2A, lsa, teamLsa },
    params: { comm: devComm, handle: llA2AHandle, win: window, epochs: u32, silent: i32, shift: u32 },
  },
  (
    { llA2A, lsa, teamLsa, coopCta, threadIdx, blockIdx, blockDim, u32, i32 },
    { comm, handle, win, epochs, silent, shift },
  ) => {
    const team = teamLsa(comm);
    const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x + shift, team.nRanks * blockDim.x);
    let sum = u32(0);
    for (let epoch = u32(0); epoch < epochs; epoch++) {
      const elt = team.rank * blockDim.x + threadIdx.x;
      if (team.rank !== silent) session.bcast(elt, u32(team.rank) * 100 + epoch * 10 + blockIdx.x);
      for (let from = i32(0); from < team.nRanks; from++) {
        sum = sum * 3 + session.recv(u32, from * blockDim.x + threadIdx.x);
      }
      session.endEpoch(coopCta());
    }
    lsa.localPointer(win, u32, 0).store(blockIdx.x * blockDim.x + threadIdx.x, sum);
  },
);

export interface Run {
  readonly ranks: number;
  readonly seed?: number;
  readonly grid: number;
  readonly epochs: number;
  readonly silent?: number;
  readonly shift?: number;
}

export async function run({
  ranks,
  seed = 1,
  grid,
  epochs,
  silent = -1,
  shift = 0,
}: Run): Promise<(readonly number[])[]> {
  await using world = await World.open({ backend: sim({ ranks, seed }) });
  return await world.run(async (comm) => {
    const { requirement, handleOf } = llA2ACreateRequirement(grid, llA2ACalcSlots(ranks * block, 4));
    const dev = await comm.createDevComm({ resourceRequirementsList: [requirement] });
    const [resource] = dev.plan.resources;
    if (resource === undefined) throw new Error('the plan has the resource');
    const win = await comm.allocWindow(u32, grid * block);
    if (win === null) throw new Error('the simulator has symmetric memory');
    await comm.launch(counts, { grid, block }, { comm: dev, handle: handleOf(resource), win, epochs, silent, shift });
    return [...(await win.read())];
  });
}
