import { registerMatchers } from '@nccl-ts/vitest';
import { f32, type Communicator } from 'nccl-ts';
import { expect, test } from 'vitest';
import { inPlaceAllReduce } from '../src/kernel.ts';

registerMatchers(expect);

const count = 256;

/** The program of each rank. */
async function sums(comm: Communicator): Promise<Float32Array> {
  const win = await comm.allocWindow(f32, count);
  await win.write(Float32Array.from({ length: count }, (_, i) => comm.rank + i));
  const devComm = await comm.createDevComm({ lsaBarrierCount: 2 });
  await comm.launch(inPlaceAllReduce, { grid: 2, block: 32 }, { comm: devComm, win, count });
  return win.read();
}

test('inPlaceAllReduce has no race, and its sums are right', async () => {
  await expect(async (comm: Communicator) => {
    const found = await sums(comm);
    expect([...found]).toEqual(Array.from({ length: count }, (_, i) => 6 + 4 * i));
  }).toBeRaceFree({ ranks: 4 });
});
