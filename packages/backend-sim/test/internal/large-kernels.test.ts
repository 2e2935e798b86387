import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { validate } from '@nccl-ts/ir';
import { kernel, u32, type BodyFunction, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { SimExecutable } from '../../src/world/sim-executable.ts';

/** A kernel whose body is that text; `p` points to the rank's window. */
function kernelOf(body: string): Kernel {
  // The eval is indirect, so that the text sees no name of this file.
  // oxlint-disable-next-line no-eval
  const made: unknown = (0, eval)(
    `(({ lsa, u32 }, { win }) => { const p = lsa.localPointer(win, u32, 0);\n${body}\n})`,
  );
  const params = { win: window };
  return kernel({ name: 'large', use: { lsa }, params }, made as BodyFunction as never);
}

async function firstWord(of: Kernel, options: object): Promise<number> {
  await using world = await World.open({ backend: sim({ ranks: 1, ...options }) });
  const [word = -1] = await world.run(async (comm) => {
    const win = await comm.allocWindow(u32, 8);
    await comm.launch(of, { grid: 1, block: 1 }, { win });
    return Number((await win.read())[0]);
  });
  return word;
}

/** That many locals, each loaded from memory. */
function locals(count: number): Kernel {
  const lines = Array.from({ length: count }, (_, i) => `let v${i} = p.load(${i % 4}) + ${i};`);
  return kernelOf(`${lines.join('\n')}\np.store(0, v0 + v${count - 1});`);
}

describe('a kernel', () => {
  it.each([{}, { engine: 'wasm' }].filter(() => inject('slow')))(
    'takes time proportional to the number of its locals, not to its square: %j',
    async (options) => {
      await firstWord(locals(100), options);
      // With quadratic time it took 5 s and more. A slow machine gets more tries, each with a new
      // kernel.
      let least = Infinity;
      for (let count = 3000; count < 3004 && least > 2.5; count++) {
        const before = process.cpuUsage();
        expect(await firstWord(locals(count), options)).toBe(count - 1);
        least = Math.min(least, process.cpuUsage(before).user / 1e6);
      }
      expect(least).toBeLessThan(2.5);
    },
  );

  it('that is too large for the host is refused with a clear message', () => {
    const checked = validate(locals(1).compile(), sim({ ranks: 1 }).capabilities);
    if (!checked.ok) throw new Error('it is a kernel');
    const executable = new SimExecutable(checked.module, () => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    expect(() => executable.codeFor({ x: 1, y: 1, z: 1 }, {})).toThrow(
      expect.objectContaining({ code: 'NCCLTS_NOT_SUPPORTED', message: expect.stringMatching(/split it/) }),
    );
  });

  it.each([{}, { engine: 'wasm' }, { mode: 'check' }])('with 500 early exits runs on %j', async (options) => {
    const exits = Array.from({ length: 500 }, (_, i) => `if (a === ${i + 1}) return;`);
    expect(await firstWord(kernelOf(`let a = p.load(1); ${exits.join('\n')} p.store(0, 9);`), options)).toBe(9);
  });
});
