import { assert, property, sample } from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

import { webAssemblyRegions } from '../../src/wasm.ts';
import { interpret } from '../support/interpret.ts';
import { runEmitted, testLaunch, type TestLaunch } from '../support/machine.ts';
import { runnableBytes, runnableModule, type RunnableModule } from '../support/runnable-module.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/**
 * With NCCLTS_EVERY_CASE set, all of these kernels; otherwise a quarter of them. The quick tests
 * have a tenth.
 */
const times = !inject('slow') ? 0.1 : inject('everyCase') ? 1 : 0.25;

function launchOf({ block, grid, ranks }: RunnableModule): TestLaunch {
  return testLaunch({
    block,
    grid,
    ranks,
    bytes: runnableBytes,
    args: [90, 0.5],
    fill: (views) => {
      // The words at the end of the window, for which ranks wait, start as 0.
      for (let i = 0; i < views.u8.length; i++) {
        if ((i - 4096) % (runnableBytes + 1024) < 40_960) views.u8[i] = (i * 7 + (i >> 8)) & 31;
      }
    },
  });
}

/** The memory after the windows belongs to the generated code. */
function firstDifference(a: TestLaunch, b: TestLaunch): number | undefined {
  const [left, right] = [a, b].map(({ heap, linear }) => new Uint8Array(heap, 0, linear.frame));
  if (left === undefined || right === undefined) return undefined;
  const at = left.findIndex((byte, i) => byte !== right[i]);
  return at === -1 ? undefined : at;
}

function check(made: RunnableModule): void {
  const [reference, auto, thread] = [launchOf(made), launchOf(made), launchOf(made)];
  interpret(made.module, reference);
  runEmitted(made.module, auto);
  expect(firstDifference(auto, reference)).toBeUndefined();
  runEmitted(made.module, thread, { mode: 'thread' });
  expect(firstDifference(thread, reference)).toBeUndefined();
}

describe('random kernels leave the same memory as the interpreter', () => {
  it('if threads run in lockstep', () => {
    assert(property(runnableModule({ divergentWaits: false }), check), { seed: 1, numRuns: Math.ceil(50 * times) });
  }, 60_000);

  it.for(slow)('if threads diverge across waits', { timeout: 60_000 }, () => {
    assert(property(runnableModule({ divergentWaits: true }), check), { seed: 2, numRuns: Math.ceil(30 * times) });
  });

  it('if threads keep more values than are loaded at each turn', { timeout: 60_000 }, () => {
    const modules = runnableModule({ divergentWaits: true, values: 90 });
    assert(property(modules, check), { seed: 4, numRuns: Math.ceil(30 * times) });
  });

  it('if threads mostly run in lockstep, with as much WebAssembly as possible', () => {
    const modules = sample(runnableModule({ divergentWaits: false }), { seed: 3, numRuns: Math.ceil(30 * times) });
    let together = 0;
    let compiled = 0;
    for (const made of modules) {
      const [js, wasm] = [launchOf(made), launchOf(made)];
      if (!runEmitted(made.module, js).lockstep) continue;
      together++;
      const { code } = runEmitted(made.module, wasm, { regions: webAssemblyRegions, compiles: 'all' });
      if (code.regions?.some(({ engine }) => engine === 'wasm') === true) compiled++;
      expect(firstDifference(wasm, js)).toBeUndefined();
    }
    expect(together).toBeGreaterThan((2 * modules.length) / 3);
    expect(compiled).toBeGreaterThan((2 * modules.length) / 3);
  }, 60_000);
});
