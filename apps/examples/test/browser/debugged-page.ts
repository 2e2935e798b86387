import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { kernel, u32 } from '@nccl-ts/kernel';

const debugged = kernel({ name: 'debugged', params: { limit: u32 } }, ({ threadIdx, sharedArray, u32 }, { limit }) => {
  const kept = sharedArray(u32, 64);
  let total = u32(0);
  for (let step = 0; step < limit; step++) {
    total += step * threadIdx.x;
  }
  kept[threadIdx.x] = total;
});

let opened: World | undefined;

/** Runs a kernel that a debugger can stop in. */
export async function run(): Promise<string> {
  opened ??= await World.open({ backend: sim({ ranks: 1, sourceMaps: true }) });
  await opened.run(async (comm) => comm.launch(debugged, { grid: 1, block: 4 }, { limit: 3 }));
  return 'done';
}
