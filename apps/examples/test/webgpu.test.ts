import { describe, expect, inject, test } from 'vitest';
import { runAllReduce } from '../src/01-allreduce-lsa/run.ts';
import { runDigits } from '../src/02-digits/run.ts';
import { backendFactory } from '../src/backend.ts';
import { testedBackends, unlessThere } from './support/backends.ts';

const lacks = testedBackends.find(({ name }) => name === 'webgpu')?.lacks;

/** The lines that a program prints on the simulator and on WebGPU. */
async function linesOn(
  name: 'sim' | 'webgpu',
  run: (backend: ReturnType<typeof backendFactory>, print: (line: string) => void) => Promise<boolean>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const passed = await run(backendFactory(name), (line) => lines.push(line));
  expect(passed).toBe(true);
  return lines;
}

describe.skipIf(lacks !== undefined)(
  `examples on WebGPU print the same as on the simulator${unlessThere(lacks)}`,
  () => {
    test.each([1, 3, 4].filter((ranks) => (ranks === 3) !== inject('slow')))(
      '01-allreduce-lsa on %i ranks',
      async (ranks) => {
        const run: Parameters<typeof linesOn>[1] = async (backend, print) =>
          runAllReduce({ backend: backend(ranks), count: 100_003, print });
        const lines = await linesOn('webgpu', run);
        expect(lines).toEqual(await linesOn('sim', run));
        expect(lines.at(-2)).toBe('AllReduce completed. Result verification: PASSED');
      },
    );

    // The quick run has the other example alone.
    test.for(inject('slow') ? [0] : [])('02-digits, to the last digit', async () => {
      const run: Parameters<typeof linesOn>[1] = async (backend, print) =>
        runDigits({ backend, ranks: [1, 4], epochs: 1, training: 40, test: 10, print });
      expect(await linesOn('webgpu', run)).toEqual(await linesOn('sim', run));
    });
  },
);
