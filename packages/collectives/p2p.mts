import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { send, recv, group } from './src/index.ts';
const ranks = 5;
await using world = await World.open({ backend: sim({ ranks }) });
const n = 50001;
console.log(
  await world.run(async (comm) => {
    const s = await comm.allocWindow('f32', n),
      r = await comm.allocWindow('f32', n * ranks);
    await s.write(new Float32Array(n).fill(comm.rank + 1));
    const next = (comm.rank + 1) % ranks,
      prev = (comm.rank + ranks - 1) % ranks;
    await group(comm, async () => {
      await send(comm, s, n, next);
      await recv(comm, r, n, prev);
    });
    const a = (await r.read())[n - 1];
    await group(comm, async () => {
      for (let p = 0; p < ranks; p++) {
        await send(comm, s, 1000, p);
        await send(comm, s, 500, p);
        await recv(comm, r.symPtr(p * 4 * n), 1000, p);
        await recv(comm, r.symPtr((p * n + 2000) * 4), 500, p);
      }
    });
    const v = await r.read();
    return [a, [...Array(ranks).keys()].map((p) => [v[p * n + 999], v[p * n + 2499], v[p * n + 2500]]).join(' ')];
  }),
);
await using world2 = await World.open({ backend: sim({ ranks: 2 }) });
await world2
  .run(async (comm) => {
    const s = await comm.allocWindow('f32', n);
    if (comm.rank === 0) await recv(comm, s, n, 1);
    else {
      await group(comm, async () => {
        await recv(comm, s, 5, 1);
        await send(comm, s, 5, 1);
      });
    }
  })
  .catch((e) => console.log(e.message));
