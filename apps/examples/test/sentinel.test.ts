import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import { expect, test } from 'vitest';
import { allReduceTwoShotSentinel } from '../src/06-allreduce-multicast/two-shot-sentinel-kernel.ts';
import { NOT_SENTINEL, SENTINEL, sentinels } from '../src/sentinel.ts';

/** The result of one turn for a line on each rank. */
async function sumsOf(ranks: number, line: Uint32Array): Promise<readonly Uint32Array[]> {
  await using world = await World.open({ backend: sim({ ranks, multimem: true }) });
  const sums = await world.run(async (comm) => {
    const lines = comm.nRanks;
    const send = await comm.allocWindow(f32, 4 * lines);
    const recv = await comm.allocWindow(u32, 4 * lines);
    const clear = await comm.allocWindow(u32, 4 * lines);
    const devComm = await comm.createDevComm({ lsaMultimem: true, lsaBarrierCount: 1 });
    for (const buffer of [recv, clear]) await buffer.write(sentinels(4 * lines));
    const words = Uint32Array.from({ length: 4 * lines }, (_, i) => line[i % 4] ?? 0);
    await send.write(new Float32Array(words.buffer));
    const args = { send, sendLine: 0, recv, clear, lines, meet: true, comm: devComm };
    await comm.launch(allReduceTwoShotSentinel, { grid: 1, block: 32 }, args);
    expect(await clear.read()).toEqual(sentinels(4 * lines));
    return Uint32Array.from((await recv.read()).slice(0, 4));
  });
  return sums;
}

test('a sum that equals the sentinel becomes another NaN', async () => {
  // A single rank adds nothing, so the sum has the bits of its own values.
  const [sums] = await sumsOf(1, Uint32Array.of(SENTINEL, 0, SENTINEL, 0x3f800000));
  expect(sums).toEqual(Uint32Array.of(NOT_SENTINEL, 0, NOT_SENTINEL, 0x3f800000));
  expect(new Float32Array(Uint32Array.of(NOT_SENTINEL, SENTINEL).buffer)).toEqual(Float32Array.of(NaN, NaN));
});

test('adding a NaN does not make a rank wait', async () => {
  for (const sums of await sumsOf(2, Uint32Array.of(0x3f800000, SENTINEL, 0, SENTINEL))) {
    const floats = new Float32Array(sums.buffer);
    expect(floats).toEqual(Float32Array.of(2, NaN, 0, NaN));
  }
});
