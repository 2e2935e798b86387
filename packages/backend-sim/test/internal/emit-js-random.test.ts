import { assert, property, sample } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { interpret } from '../support/interpret.ts';
import { runEmitted, testLaunch, type TestLaunch } from '../support/machine.ts';
import { runnableBytes, runnableModule, type RunnableModule } from '../support/runnable-module.ts';

function launchOf({ block, grid, ranks }: RunnableModule): TestLaunch {
  return testLaunch({
    block,
    grid,
    ranks,
    bytes: runnableBytes,
    args: [90, 0.5],
    fill: (views) => {
      // The words that ranks wait for, at the end of the window, begin with 0.
      for (let i = 0; i < views.u8.length; i++) {
        if ((i - 4096) % (runnableBytes + 1024) < 40_960) views.u8[i] = (i * 7 + (i >> 8)) & 31;
      }
    },
  });
}

/** What lies behind the windows is generated code's own. */
function firstDifference(a: TestLaunch, b: TestLaunch): number | undefined {
  const [left, right] = [a, b].map(({ heap, linear }) => new Uint8Array(heap, 0, linear.frame));
  if (left === undefined || right === undefined) return undefined;
  const at = left.findIndex((byte, i) => byte !== right[i]);
  return at === -1 ? undefined : at;
}

function check(made: RunnableModule): void {
  const [reference, auto, thread, wasm] = [launchOf(made), launchOf(made), launchOf(made), launchOf(made)];
  interpret(made.module, reference);
  runEmitted(made.module, auto);
  expect(firstDifference(auto, reference)).toBeUndefined();
  runEmitted(made.module, thread, { mode: 'thread' });
  expect(firstDifference(thread, reference)).toBeUndefined();
  runEmitted(made.module, wasm, { engine: 'wasm' });
  expect(firstDifference(wasm, reference)).toBeUndefined();
}

describe('random kernels leave the same memory as the interpreter', () => {
  it('where threads stay together', () => {
    assert(property(runnableModule({ divergentWaits: false }), check), { seed: 1, numRuns: 50 });
  }, 60_000);

  it('where threads part across waits', () => {
    assert(property(runnableModule({ divergentWaits: true }), check), { seed: 2, numRuns: 30 });
  }, 60_000);

  it('mostly in lockstep', () => {
    const modules = sample(runnableModule({ divergentWaits: false }), { seed: 3, numRuns: 30 });
    const together = modules.filter((made) => runEmitted(made.module, launchOf(made)).lockstep);
    expect(together.length).toBeGreaterThan(20);
  }, 60_000);
});
