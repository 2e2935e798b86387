import { cuda, probe } from '@nccl-ts/backend-cuda';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { finish, phase, report } from './phases.ts';

const count = 100_003;
const ctas = 16;
const block = 512;

report({ node: process.version, argv: process.argv.slice(2), debug: process.env['NCCLTS_DEBUG'] });
await phase('probe', async () => report({ probe: await probe() }));

const world = await phase('open', async () => World.open({ backend: cuda({ devices: 'all', abortable: false }) }));
if (world === undefined) finish();
report({ topology: world.topology, localRanks: world.localRanks });

const windows = await phase('allocWindow', async () => world.run(async (comm) => comm.allocWindow(f32, count)));
await phase('write and read back', async () => {
  await world.run(async (comm) => {
    const win = windows?.[comm.rank];
    const data = Float32Array.from({ length: count }, (_, i) => comm.rank + 1 + (i % 17) / 16);
    await win?.write(data);
    const back = await win?.read();
    if (back === undefined || !back.every((value, i) => value === data[i]))
      throw new Error(`rank ${comm.rank} reads other bytes`);
  });
});
const devComms = await phase('createDevComm', async () =>
  world.run(async (comm) => comm.createDevComm({ lsaBarrierCount: ctas })),
);
report({ plan: devComms?.[0]?.plan });

await phase('AllReduce', async () => {
  const checked = await world.run(async (comm) => {
    const win = windows?.[comm.rank];
    const devComm = devComms?.[comm.rank];
    if (win === undefined || devComm === undefined) throw new Error('there is no window or device communicator');
    await comm.launch(allReduceKernel, { grid: ctas, block }, { comm: devComm, win, offset: 0, count });
    const got = await win.read();
    const n = comm.nRanks;
    let wrong = 0;
    let first: unknown;
    for (let i = 0; i < count; i++) {
      // Adds in the order of the kernel, one peer after the other, and rounds each time.
      let expected = 0;
      for (let peer = 0; peer < n; peer++) expected = Math.fround(expected + Math.fround(peer + 1 + (i % 17) / 16));
      if (got[i] === expected) continue;
      wrong++;
      first ??= { i, got: got[i], expected };
    }
    return { rank: comm.rank, wrong, first };
  });
  report({ allReduce: checked });
  if (checked.some(({ wrong }) => wrong > 0)) throw new Error('the sums are wrong');
});

await phase('many launches', async () => {
  await world.run(async (comm) => {
    const win = windows?.[comm.rank];
    const devComm = devComms?.[comm.rank];
    if (win === undefined || devComm === undefined) throw new Error('there is no window or device communicator');
    for (let i = 0; i < 100; i++) {
      await comm.launch(allReduceKernel, { grid: ctas, block }, { comm: devComm, win, offset: 0, count: 1024 });
    }
    await comm.synchronize();
  });
});

await phase('close', async () => world.close());
await phase('open and close again', async () => {
  await using again = await World.open({ backend: cuda({ devices: 'all' }) });
  report({ again: again.topology });
});
finish();
