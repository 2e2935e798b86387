import { readFileSync } from 'node:fs';
import {
  allReduce,
  check,
  devComm,
  devCommParam,
  f32,
  kernel,
  lsa,
  RedOp,
  renderReport,
  sim,
  u32,
  window,
  windowParam,
  World,
} from 'nccl-ts';
import { expect, expectTypeOf, test } from 'vitest';
import type * as Names from 'nccl-ts';

const toNext = kernel(
  { name: 'toNext', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockDim, f32 }, { comm, win, count }) => {
    const next = lsa.pointer(win, f32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let i = threadIdx.x; i < count; i += blockDim.x) next.store(i, f32(comm.rank));
    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
  },
);

async function firstValues(world: World): Promise<readonly (number | undefined)[]> {
  const results = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, 64);
    const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
    await comm.launch(toNext, { grid: 1, block: 32 }, { comm: dev, win, count: 64 });
    const [passed] = await win.read();
    await allReduce(comm, win, win, 64, RedOp.Sum);
    const [sum] = await win.read();
    return [passed, sum];
  });
  await world.close();
  return results.flat();
}

test('one import is enough for a kernel, its host, a collective and a check', async () => {
  expect(await firstValues(await World.open({ backend: sim({ ranks: 3 }) }))).toEqual([2, 3, 0, 3, 1, 3]);
  const report = await check({ ranks: 2 }, async (backend) => {
    await firstValues(await World.open({ backend }));
  });
  expect(renderReport(report)).toMatch(/^clean/);
});

test('the former names of parameters and host objects are the same things', async () => {
  const names = await import('nccl-ts');
  expect(names.window).toBe(names.windowParam);
  expect(names.devComm).toBe(names.devCommParam);
  expectTypeOf<Names.Window<'f32'>>().toEqualTypeOf<Names.HostWindow<'f32'>>();
  expectTypeOf<Names.DevComm>().toEqualTypeOf<Names.HostDevComm>();
  const former = kernel({ name: 'former', params: { win: window, comm: devComm } }, (_, { win, comm }) => {
    expectTypeOf(win).toEqualTypeOf<Names.KernelWindow>();
    expectTypeOf(comm).toEqualTypeOf<Names.KernelDevComm>();
  });
  expect(former.params).toEqual(
    kernel({ name: 'now', params: { win: windowParam, comm: devCommParam } }, () => undefined).params,
  );
});

test('first programs use no name of browsers, and none that they declare again', () => {
  const root = new URL('../../../', import.meta.url);
  const files = ['README.md', 'packages/nccl-ts/README.md', 'docs/tutorial/first-kernel.md'];
  for (const file of [...files, 'packages/create-nccl-ts/template/src/kernel.ts']) {
    const text = readFileSync(new URL(file, root), 'utf8');
    const imports = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from 'nccl-ts/gm)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.trim()),
    );
    expect({ file, imports }).toMatchObject({ imports: expect.arrayContaining(['windowParam']) });
    const declared = [...text.matchAll(/^ *(?:const|let) (\w+) =/gm)].map(([, name = '']) => name);
    const confused = imports.filter((name) => ['window', 'Window', 'devComm', ...declared].includes(name));
    expect({ file, confused }).toEqual({ file, confused: [] });
  }
});

test('what the pitch names comes with one import', async () => {
  const pitch = ['lsa', 'multimem', 'gin', 'barrier', 'reduceCopy', 'llA2A', 'World', 'sim', 'check', 'allReduce'];
  expect(Object.keys(await import('nccl-ts'))).toEqual(expect.arrayContaining(pitch));
});

test('the README names every function, and every entry', async () => {
  const folder = new URL('../', import.meta.url);
  const readme = readFileSync(new URL('README.md', folder), 'utf8');
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  expect(manifest).toHaveProperty('exports');
  const entries = manifest instanceof Object && 'exports' in manifest ? Object.keys(manifest.exports ?? {}) : [];
  const [, table = ''] = readme.split('## Exports');
  for (const entry of entries.filter((name) => name !== '.' && name !== './package.json'))
    expect(table).toContain(`\`nccl-ts${entry.slice(1)}\``);
  // A row stands for the types of the language, and one for teams and collectives.
  const grouped =
    /^(?:addr|bool|bf16|vec|ptr|team.*|[efiu]\d.*|DataType)$|^(?:all|broadcast|gather|reduce$|reduceScatter|scatter)/u;
  const missing = Object.keys(await import('nccl-ts')).filter(
    (name) => !grouped.test(name) && !table.includes(`\`${name}\``),
  );
  expect(missing).toEqual([]);
});

test('the other entries are whole packages', async () => {
  expect(Object.keys(await import('nccl-ts/harness'))).toEqual(Object.keys(await import('@nccl-ts/harness')));
  expect(await import('nccl-ts/vitest')).toHaveProperty('registerMatchers');
  expect(await import('nccl-ts/check')).toMatchObject({ check, renderReport });
});
