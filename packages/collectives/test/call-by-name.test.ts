import { sim } from '@nccl-ts/backend-sim';
import { collective } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { expect, test } from 'vitest';

test('collective calls the collective of a name, and ignores arguments that it does not have', async () => {
  await using world = await World.open({ backend: sim({ ranks: 2 }) });
  const results = await world.run(async (comm) => {
    const send = await comm.allocWindow('u32', 1);
    const recv = await comm.allocWindow('u32', 2);
    await send.write(Uint32Array.of(10 + comm.rank));
    const call = { send, recv, count: 1, op: RedOp.Max, root: 1 };
    await recv.write(Uint32Array.of(0, 0));
    await collective(comm, 'gather', call);
    const gathered = [...(await recv.read())];
    await collective(comm, 'allReduce', call);
    return [gathered, (await recv.read())[0]];
  });
  expect(results).toEqual([
    [[0, 0], 11],
    [[10, 11], 11],
  ]);
});

test('collective refuses a name that is none', async () => {
  await using world = await World.open({ backend: sim({ ranks: 1 }) });
  const refused = world.run(async (comm) => {
    const win = await comm.allocWindow('u32', 1);
    // @ts-expect-error a name that does not exist
    await collective(comm, 'allreduce', { send: win, recv: win, count: 1, op: RedOp.Sum, root: 0 });
  });
  await expect(refused).rejects.toThrow('there is no collective "allreduce"; there are allReduce, broadcast');
});
