import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { allReduce, barriers } from './kernels.ts';
const med = (a: number[]) => a.toSorted((x, y) => x - y)[a.length >> 1]!;
for (const workers of [1, 2]) {
  for (const ranks of [1, 4]) {
    await using world = await World.open({ backend: sim({ ranks, engine: 'wasm', workers }) });
    const t: number[] = [], a: Record<string, number[]> = {};
    await world.run(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 16 });
      for (let i = 0; i < 300; i++) {
        const s = performance.now();
        await comm.launch(barriers, { grid: 1, block: 32 }, { comm: dev, rounds: 0 });
        await comm.synchronize();
        if (comm.rank === 0) t.push((performance.now() - s) * 1000);
      }
      for (const count of [1 << 14, 1 << 20]) {
        const win = await comm.allocWindow(f32, count);
        await win!.write(new Float32Array(count).fill(1));
        a[count] = [];
        for (let i = 0; i < 21; i++) {
          const s = performance.now();
          await comm.launch(allReduce, { grid: 16, block: 512 }, { comm: dev, win: win!, count });
          await comm.synchronize();
          if (comm.rank === 0) a[count]!.push(performance.now() - s);
        }
      }
    });
    console.log(workers, 'workers', ranks, 'ranks: launch+sync', med(t).toFixed(1), 'us (min', Math.min(...t).toFixed(1), ') allReduce ms', Object.entries(a).map(([k, v]) => `${k}: ${med(v).toFixed(2)} (min ${Math.min(...v).toFixed(2)})`).join(', '));
  }
}
