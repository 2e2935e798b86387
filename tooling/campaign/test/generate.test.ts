import { describe, expect, inject, test } from 'vitest';
import { generate, isTheme, type Theme } from '../src/generate.ts';
import { loadProgram } from '../src/load-program.ts';
import { moduleText } from '../src/module-text.ts';
import type { CampaignProgram } from '../src/program.ts';
import { smaller } from '../src/smaller.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const themes = ['words', 'fences', 'messages', 'barriers', 'network', 'hosts', 'single', 'fabric'].filter(isTheme);
const seeds = Array.from({ length: 12 }, (_, seed) => seed + 1);
const sizeOf = (program: CampaignProgram): number => JSON.stringify(program).length;

describe.each(themes)('random programs of theme %s', (theme: Theme) => {
  test.for(quick)('the same seed gives the same program, and another seed gives a different one', () => {
    const texts = seeds.map((seed) => moduleText(generate(seed, theme)));
    expect(seeds.map((seed) => moduleText(generate(seed, theme)))).toEqual(texts);
    expect(new Set(texts).size).toBeGreaterThan(seeds.length / 2);
  });

  test.for(quick)('every program compiles and is valid JSON', () => {
    for (const seed of seeds) {
      const program = generate(seed, theme);
      expect(() => loadProgram(program)).not.toThrow();
      expect(JSON.parse(JSON.stringify(program))).toEqual(program);
    }
  });

  test.for(slow)('every smaller program differs and compiles', () => {
    for (const seed of seeds.slice(0, 3)) {
      const program = generate(seed, theme);
      for (const next of smaller(program)) {
        expect(next).not.toEqual(program);
        expect(() => loadProgram(next)).not.toThrow();
      }
    }
  });
});

test.for(quick)('the steps towards smaller programs end', () => {
  let program = generate(5, 'hosts');
  for (let steps = 0; ; steps++) {
    const [next] = smaller(program);
    if (next === undefined) break;
    expect(steps).toBeLessThan(500);
    program = next;
  }
  expect(sizeOf(program)).toBeLessThan(sizeOf(generate(5, 'hosts')));
});

test.for(quick)('a program is printed as a module for nccl-ts check', () => {
  expect(moduleText(generate(2, 'network'))).toMatchInlineSnapshot(`
    "// nccl-ts check program.ts --ranks 3 --lsa-size 1
    import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
    import { gin } from '@nccl-ts/gin';
    import { kernel } from '@nccl-ts/kernel';
    import { lsa } from '@nccl-ts/lsa';

    const k0 = kernel({ name: 'k0', use: { lsa, gin, teamWorld }, params: { comm: devComm, shared: window, found: window } }, ({ lsa, gin, teamWorld, coopThread, threadIdx, u32 }, { comm, shared, found }) => {
      const own = lsa.localPointer(shared, u32, 0);
      const kept = lsa.localPointer(found, u32, 0);
      const net0 = gin.context(comm, 0);
      const net1 = gin.context(comm, 1);
      if (comm.rank === 2 && threadIdx.x === 1) {
        net0.flush(coopThread());
        net1.put(teamWorld(comm), 0, shared, 16, shared, 8, 4, gin.weakSignalInc(0), { localAction: gin.weakCounterInc(0) });
        const r0 = own.load(0);
        kept.store(16, u32(r0) + 100);
      }
      if (comm.rank === 2 && threadIdx.x === 0) {
        net1.waitSignal(coopThread(), 0, 1, { order: 'acquire' });
      }
    });

    export async function host(comm) {
      const shared = await comm.allocWindow('u32', 6);
      const found = await comm.allocWindow('u32', 32);
      const dev = await comm.createDevComm({ ginConnectionType: 'full', ginContextCount: 2, ginSignalCount: 1, ginCounterCount: 1 });
      const seen = [];
      await comm.launch(k0, { grid: 1, block: 2 }, { comm: dev, shared, found });
      await comm.synchronize();
      const kept = await found.read();
      return [seen, kept.filter((one) => one > 0), []].map((one) => one.join()).join(' ');
    }
    "
  `);
});
