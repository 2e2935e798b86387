import { explore } from '@nccl-ts/checker';
import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { bf16, f16, f32, f64, kernel, u8 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const bytes = { f16: 2, bf16: 2, f32: 4, f64: 8 } as const;
/** Infinity, 0, 1, and a negative NaN. */
const inputs: Readonly<Record<keyof typeof bytes, readonly bigint[]>> = {
  f16: [0x7c00n, 0n, 0x3c00n, 0xfe00n],
  bf16: [0x7f80n, 0n, 0x3f80n, 0xffc0n],
  f32: [0x7f800000n, 0n, 0x3f800000n, 0xffc00000n],
  f64: [0x7ff0000000000000n, 0n, 0x3ff0000000000000n, 0xfff8000000000000n],
};

/** Stores NaNs from constants, from memory, and from arithmetic on values in memory. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- what kernel() answers
function nansOf(T: typeof f32) {
  return kernel({ name: 'nans', use: { lsa, T }, params: { win: window } }, ({ lsa, T }, { win }) => {
    const p = lsa.localPointer(win, T, 0);
    const infinity = p[0]!;
    const zero = p[1]!;
    const nan = p[3]!;
    p[4] = T(0) / T(0);
    p[5] = -T(NaN);
    p[6] = T(Infinity) - T(Infinity);
    p[7] = T(NaN);
    p[8] = nan;
    p[9] = -nan;
    p[10] = infinity - infinity;
    p[11] = zero / zero;
    p[12] = -(zero / zero);
    p[13] = nan + T(1);
  });
}

const kernels = { f16, bf16, f32, f64 } as const;

/** Signalling NaNs with a payload, some with a sign. */
const signalling: Readonly<Record<keyof typeof bytes, bigint>> = {
  f16: 0x7d01n,
  bf16: 0xffa1n,
  f32: 0x7fa00001n,
  f64: 0xfff4000000000001n,
};

async function bitsOf(
  name: keyof typeof bytes,
  backend: SimBackend,
  nan: bigint | undefined = inputs[name][3],
): Promise<readonly string[]> {
  const size = bytes[name];
  const raw = new Uint8Array(16 * size);
  [...inputs[name].slice(0, 3), nan ?? 0n].forEach((bits, at) => {
    for (let byte = 0; byte < size; byte++) raw[at * size + byte] = Number((bits >> BigInt(8 * byte)) & 255n);
  });
  await using world = await World.open({ backend });
  const [words = []] = await world.run(async (comm) => {
    const win = await comm.allocWindow(u8, 16 * size);
    await win.write(raw);
    await comm.launch(nansOf(kernels[name] as typeof f32), { grid: 1, block: 1 }, { win });
    const read = await win.read();
    return Array.from({ length: 10 }, (_, i) => {
      const one = Buffer.from(read.subarray((4 + i) * size, (5 + i) * size));
      // A host's doubles may become quiet whenever they move, and keep their sign and payload.
      if (name === 'f64') one.writeUInt8(one.readUInt8(6) | 8, 6);
      return one.toString('hex');
    });
  });
  return words;
}

describe.each(['f16', 'bf16', 'f32', 'f64'] as const)('NaNs of %s', (name) => {
  it.each([
    ['quiet', inputs[name][3]],
    ['signalling', signalling[name]],
  ])('have the same bits in the interpreter and in all engines: %s NaN in memory', async (_kind, nan) => {
    const expected = await bitsOf(name, sim({ ranks: 1 }), nan);
    expect(await bitsOf(name, sim({ ranks: 1, engine: 'wasm' }), nan)).toEqual(expected);
    expect(await bitsOf(name, sim({ ranks: 1, mode: 'check' }), nan)).toEqual(expected);
    let interpreted: readonly string[] = [];
    await explore(
      { ranks: 1, mode: 'check' },
      async (backend) => {
        interpreted = await bitsOf(name, backend, nan);
      },
      { runs: 10 },
    );
    expect(interpreted).toEqual(expected);
  });
});
