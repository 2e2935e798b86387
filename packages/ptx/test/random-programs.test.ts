import { sim } from '@nccl-ts/backend-sim';
import { winGetUserPtr, World, type Communicator, type Window } from '@nccl-ts/communicator';
import { kernel, ptr, u64 } from '@nccl-ts/kernel';
import { importKernel, parsePtx } from '@nccl-ts/ptx';
import { describe, expect, inject, it } from 'vitest';
import { below, type Random } from './support/mutate-text.ts';
import { randomProgram, type ProgramType, type RandomProgram } from './support/random-program.ts';
import { seeded } from './support/seeded.ts';

const count = Number(process.env['NCCLTS_RANDOM_PROGRAMS'] ?? (inject('slow') ? 25 : 5));
const seed = Number(process.env['NCCLTS_SEED'] ?? 20_261_125);
const THREADS = 16;
const LENGTH = 40;

/** Numbers near the limits, powers of two, and numbers between. */
function inputOf(type: ProgramType, random: Random): bigint {
  if (type.startsWith('f')) {
    const all = [0, -0, 1, -1, 0.5, 1e30, -1e-30, 2 ** -140, Infinity, Number.NaN, 16_777_217, 65_504];
    const number =
      below(random, 4) === 0 ? (all[below(random, all.length)] ?? 0) : (random() - 2 ** 31) / 2 ** below(random, 60);
    return new BigUint64Array(Float64Array.of(number).buffer)[0] ?? 0n;
  }
  const word = (BigInt(random()) << 32n) | BigInt(random());
  switch (below(random, 4)) {
    case 0:
      return BigInt.asUintN(64, BigInt(below(random, 5)) - 2n);
    case 1:
      return BigInt.asUintN(64, (1n << BigInt(below(random, 64))) - BigInt(below(random, 2)));
    default:
      return word;
  }
}

/** The kernel with this text as its body. */
function kernelOf({ kernel: text }: RandomProgram) {
  const names = 'threadIdx, u32, i32, u64, i64, f32, f64, f16, min, max, abs, fma, math, popcount, clz, ctz';
  // oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- a text without a file
  const body: unknown = new Function(`{ ${names} }`, '{ from, into }', text);
  if (!isBody(body)) throw new Error('a function is none');
  return kernel({ name: 'program', params: { from: ptr(u64), into: ptr(u64) } }, body);
}

function isBody(value: unknown): value is (...args: readonly unknown[]) => void {
  return typeof value === 'function';
}

/** The final values of the variables of each thread, from the PTX and from the kernel. */
async function resultsOf(
  comm: Communicator,
  program: RandomProgram,
  random: Random,
): Promise<readonly BigUint64Array[]> {
  const { inputs, types, ptx } = program;
  const from = await comm.allocWindow('u64', THREADS * inputs.length);
  const words = Array.from({ length: THREADS }, () => inputs.map((type) => inputOf(type, random))).flat();
  await from.write(BigUint64Array.from(words));
  const into = [await window(), await window()] as const;
  const { module, diagnostics } = parsePtx(ptx, 'program.ptx');
  if (module === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const { kernel: imported, params } = importKernel(module, { entry: 'program' });
  const addresses = [from, into[0]].map((one) => BigInt(winGetUserPtr(one).address));
  const args = Object.fromEntries(
    params.map((one) => [one.name, (one.kind === 'bytes' ? addresses[one.offset / 8] : undefined) ?? 0n]),
  );
  await comm.launch(imported, { grid: 1, block: THREADS }, args);
  await comm.launch(
    kernelOf(program),
    { grid: 1, block: THREADS },
    { from: winGetUserPtr(from), into: winGetUserPtr(into[1]) },
  );
  await comm.synchronize();
  return Promise.all(into.map(async (one) => BigUint64Array.from(await one.read())));

  function window(): Promise<Window<'u64'>> {
    return comm.allocWindow('u64', THREADS * types.length);
  }
}

/** The bits of a variable. All NaNs have the same bits. */
function shown(word: bigint | undefined, type: ProgramType | undefined): string {
  const number = new Float64Array(BigUint64Array.of(word ?? 0n).buffer)[0];
  if (type?.startsWith('f') && Number.isNaN(number)) return 'NaN';
  return `${type} 0x${(word ?? 0n).toString(16)}${type?.startsWith('f') ? ` (${number})` : ''}`;
}

/** The first variable that differs, with the program up to it. */
function difference(
  { types, ptx, kernel: text }: RandomProgram,
  [a, b]: readonly BigUint64Array[],
): string | undefined {
  for (let index = 0; index < types.length; index++) {
    for (let thread = 0; thread < THREADS; thread++) {
      const at = thread * types.length + index;
      const [left, right] = [shown(a?.[at], types[index]), shown(b?.[at], types[index])];
      if (left === right) continue;
      const lines = [ptx, text].map((one) =>
        one
          .split('\n')
          .filter((line) => line.includes(`v${index}`))
          .join('\n'),
      );
      return `v${index} of thread ${thread}: PTX has ${left}, the kernel ${right}\n${lines.join('\n')}`;
    }
  }
  return undefined;
}

describe('a random program, written as PTX and as a kernel,', () => {
  it('computes the same bits', { timeout: 30_000 + count * 500 }, async () => {
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    const differences: string[] = [];
    await world.run(async (comm) => {
      for (let i = 0; i < count && differences.length < 5; i++) {
        const random = seeded(seed + i);
        const program = randomProgram(random, LENGTH);
        const found = difference(program, await resultsOf(comm, program, random));
        if (found !== undefined) differences.push(`program ${i}: ${found}`);
      }
    });
    expect(differences.join('\n\n'), `seed ${seed}`).toBe('');
  });
});
