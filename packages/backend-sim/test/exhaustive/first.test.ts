import { explore } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, test } from 'vitest';

const make = (store: 'relaxed' | 'release', load: 'relaxed' | 'acquire') =>
  kernel(
    { name: 'mp', use: { lsa, STORE: store, LOAD: load }, params: { win: window, out: window, rank: u32 } },
    ({ lsa, STORE, LOAD, u32 }, { win, out, rank }) => {
      const x = lsa.pointer(win, u32, 0, 1);
      const o = lsa.pointer(out, u32, 0, 0);
      if (rank === 0) {
        x.store(0, 1);
        x.store(1, 1, STORE, 'system');
      } else {
        const f = x.load(1, LOAD, 'system');
        const d = x.load(0);
        lsa.pointer(out, u32, 0, 1).store(0, f);
        lsa.pointer(out, u32, 0, 1).store(1, d);
      }
    },
  );

for (const [s, l] of [
  ['release', 'acquire'],
  ['relaxed', 'acquire'],
  ['release', 'relaxed'],
] as const) {
  test(`mp ${s} ${l}`, async () => {
    const k = make(s, l);
    const outcomes = new Set<string>();
    const explored = await explore(
      { ranks: 2, mode: 'check' },
      async (backend) => {
        const world = await World.open({ backend });
        const found = await world.run(async (comm) => {
          const win = await comm.allocWindow('u32', 4);
          const out = await comm.allocWindow('u32', 4);
          await win.write(new Uint32Array(4));
          await comm.launch(k, { grid: 1, block: 1 }, { win, out, rank: comm.rank });
          await comm.synchronize();
          return comm.rank === 1 ? [...(await out.read())].slice(0, 2).join() : '';
        });
        await world.close();
        outcomes.add(found.join(''));
      },
      { runs: 1000 },
    );
    console.log(
      s,
      l,
      [...outcomes],
      explored.runs,
      explored.complete,
      JSON.stringify(explored.report, (key, v) =>
        key === 'place' && v?.source ? `${v.source}:${v.line} ${v.text.trim()}` : typeof v === 'bigint' ? `${v}` : v,
      ),
    );
    expect(1).toBe(1);
  });
}
