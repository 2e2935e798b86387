import { sim } from '@nccl-ts/backend-sim';
import { allReduceRMSNorm, group, type AllReduceRMSNormArgs } from '@nccl-ts/collectives';
import { World, type Communicator } from '@nccl-ts/communicator';
import { describe, expect, test } from 'vitest';
import { checked } from './support/checked.ts';
import { inWorld } from './support/in-world.ts';
import { normReference, numbers, type NormCase } from './support/norm-reference.ts';

/** What a rank holds at the end. */
interface Held {
  readonly out: readonly number[];
  readonly sums: readonly number[];
  readonly scales: readonly number[];
}

async function runNorm(comm: Communicator, of: NormCase, rounds = 1): Promise<Held> {
  const { element, output, rows, hidden, residual, weight, quantize, epsilon } = of;
  const count = rows * hidden;
  const send = await comm.allocWindow(element, count);
  const out = await comm.allocWindow(output, count);
  const extra = await comm.allocWindow(element, count);
  const sums = await comm.allocWindow(element, count);
  const factors = await comm.allocWindow(element, hidden);
  const scales = await comm.allocWindow('f32', rows);
  await send.write(numbers(comm.rank, count));
  await extra.write(numbers(100, count));
  await factors.write(numbers(101, hidden));
  for (let round = 0; round < rounds; round++) {
    await allReduceRMSNorm(comm, {
      send,
      out,
      rows,
      hidden,
      epsilon,
      ...(residual && { residual: extra, residualOut: sums }),
      ...(weight && { weight: factors }),
      ...(quantize === 'row' && { quantize: { scales } }),
      ...(typeof quantize === 'number' && { quantize: { scale: quantize } }),
    });
  }
  return {
    out: Array.from(await out.read(), Number),
    sums: Array.from(await sums.read(), Number),
    scales: [...(await scales.read())],
  };
}

const plain: NormCase = {
  element: 'bf16',
  output: 'bf16',
  rows: 3,
  hidden: 128,
  residual: true,
  weight: true,
  quantize: undefined,
  epsilon: 1e-5,
};

const cases: readonly (Partial<NormCase> & { readonly ranks: number; readonly title: string })[] = [
  { title: 'bf16', ranks: 2 },
  { title: 'bf16 on four ranks', ranks: 4 },
  { title: 'bf16 on eight ranks', ranks: 8, rows: 2 },
  { title: 'one rank', ranks: 1 },
  { title: 'three ranks', ranks: 3, element: 'f16', output: 'f16' },
  { title: 'f32', ranks: 2, element: 'f32', output: 'f32' },
  { title: 'f16 without residual and weight', ranks: 4, element: 'f16', output: 'f16', residual: false, weight: false },
  { title: 'more rows than two turns of all CTAs', ranks: 2, rows: 37, hidden: 40 },
  { title: 'rows that are no whole words', ranks: 2, rows: 19, hidden: 77 },
  { title: 'rows of several words a thread', ranks: 2, rows: 1, hidden: 2100 },
  { title: 'e4m3 by a given scale', ranks: 2, output: 'e4m3', quantize: 0.02 },
  { title: 'e4m3 by a scale of each row', ranks: 4, output: 'e4m3', quantize: 'row' },
  { title: 'i8 by a given scale', ranks: 2, element: 'f32', output: 'i8', quantize: 0.05 },
  { title: 'i8 by a scale of each row', ranks: 2, element: 'f16', output: 'i8', quantize: 'row', hidden: 77 },
];

describe('allReduceRMSNorm equals a reference in f64', () => {
  test.each(cases)('$title', async ({ ranks, title: _title, ...given }) => {
    const of = { ...plain, ...given };
    const held = await inWorld(ranks, async (comm) => runNorm(comm, of));
    const expected = normReference(of, ranks);
    for (const { out, sums, scales } of held) {
      expect(expected.problems({ out, sums, scales })).toEqual([]);
      expect({ out, sums, scales }).toEqual(held[0]);
    }
  });
});

test('calls of different lengths follow each other without a barrier', async () => {
  const lengths = [77, 512, 8, 77];
  await inWorld(2, async (comm) => {
    for (const hidden of lengths) {
      const of = { ...plain, rows: 11, hidden };
      expect(normReference(of, 2).problems(await runNorm(comm, of, 3))).toEqual([]);
    }
  });
});

test('rows are normalised in place, and the residual is added in place', async () => {
  await inWorld(2, async (comm) => {
    const of = { ...plain, rows: 20, hidden: 64 };
    const count = of.rows * of.hidden;
    const [send, residual] = [await comm.allocWindow('bf16', count), await comm.allocWindow('bf16', count)];
    const weight = await comm.allocWindow('bf16', of.hidden);
    await send.write(numbers(comm.rank, count));
    await residual.write(numbers(100, count));
    await weight.write(numbers(101, of.hidden));
    await allReduceRMSNorm(comm, { send, residual, weight, out: send, rows: 20, hidden: 64, epsilon: of.epsilon });
    const held = { out: [...(await send.read())], sums: [...(await residual.read())], scales: [] };
    expect(normReference(of, 2).problems(held)).toEqual([]);
  });
});

test('a row of zeros has the scale 0, and stays zeros', async () => {
  await inWorld(2, async (comm) => {
    const [send, out] = [await comm.allocWindow('bf16', 64), await comm.allocWindow('e4m3', 64)];
    const scales = await comm.allocWindow('f32', 1);
    await scales.write(Float32Array.of(7));
    await allReduceRMSNorm(comm, { send, out, rows: 1, hidden: 64, quantize: { scales } });
    expect([...(await scales.read()), ...(await out.read())]).toEqual(Array.from({ length: 65 }, () => 0));
  });
});

describe('allReduceRMSNorm is clean in check mode', () => {
  const shapes: readonly (NormCase & { ranks: number })[] = [
    { ...plain, ranks: 2, rows: 40, hidden: 40 },
    { ...plain, ranks: 3, rows: 20, hidden: 40, output: 'e4m3', quantize: 'row' },
  ];
  test.each(shapes)('on $ranks ranks, $output', { timeout: 60_000 }, async ({ ranks, ...of }) => {
    const { results, findings } = await checked({ ranks, lsaSize: ranks }, async (comm) => runNorm(comm, of, 3));
    expect(findings).toEqual([]);
    for (const held of results) expect(normReference(of, ranks).problems(held)).toEqual([]);
  });
});

describe('allReduceRMSNorm refuses', () => {
  const wrong: readonly [string, Partial<AllReduceRMSNormArgs>, RegExp][] = [
    ['no columns', { hidden: 0 }, /hidden must be an integer from 1/],
    ['a negative number of rows', { rows: -1 }, /rows must be an integer from 0/],
    ['more rows than the buffers have', { rows: 3 }, /send needs 192 elements/],
    ['a negative epsilon', { epsilon: -1 }, /epsilon must be a number of at least 0; given -1/],
    ['two ways to quantise', { quantize: {} }, /out must have elements of type e4m3 or i8/],
  ];
  test.each(wrong)('%s', async (_title, change, message) => {
    await inWorld(2, async (comm) => {
      const [send, out] = [await comm.allocWindow('bf16', 128), await comm.allocWindow('bf16', 128)];
      const call = allReduceRMSNorm(comm, { send, out, rows: 2, hidden: 64, ...change });
      await expect(call).rejects.toThrow(message);
      await expect(call).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT' });
    });
  });

  test('wrong buffers', async () => {
    await inWorld(2, async (comm) => {
      const [send, out] = [await comm.allocWindow('bf16', 128), await comm.allocWindow('bf16', 128)];
      const [narrow, wide] = [await comm.allocWindow('i8', 128), await comm.allocWindow('f32', 128)];
      const rows = { rows: 2, hidden: 64 };
      const refused = async (args: AllReduceRMSNormArgs, message: RegExp): Promise<void> => {
        await expect(allReduceRMSNorm(comm, args)).rejects.toThrow(message);
      };
      await refused({ send: narrow, out, ...rows }, /send must have elements of type f32, f16 or bf16; given i8/);
      await refused({ send, out: narrow, ...rows }, /out must have elements of type bf16.*pass quantize/);
      await refused({ send, out: wide, ...rows }, /out must have elements of type bf16, as send has; given f32\./);
      await refused({ send, out, weight: wide, ...rows }, /weight must have elements of type bf16/);
      await refused({ send, out, residualOut: out, ...rows }, /there is no residual/);
      await refused({ send, out, residual: out, ...rows }, /cannot store residualOut because it overlaps out/);
      await refused({ send, out: send.symPtr(2), rows: 1, hidden: 64 }, /cannot store out because it overlaps send/);
      await refused({ send, out: narrow, quantize: {}, ...rows }, /must have either scale or scales/);
      await refused({ send, out: narrow, quantize: { scale: 0 }, ...rows }, /scale must be a number above 0; given 0/);
      await refused({ send: wide, out: wide, rows: 1, hidden: 1 << 20 }, /send needs 1048576 elements/);
    });
  });

  test('rows that no CTA holds', async () => {
    await inWorld(2, async (comm) => {
      const send = await comm.allocWindow('f32', 1 << 14);
      await expect(allReduceRMSNorm(comm, { send, out: send, rows: 1, hidden: 1 << 14 })).rejects.toMatchObject({
        code: 'NCCLTS_NOT_SUPPORTED',
      });
    });
  });

  test('several load-store domains', async () => {
    await inWorld(
      2,
      async (comm) => {
        const send = await comm.allocWindow('f32', 64);
        await expect(allReduceRMSNorm(comm, { send, out: send, rows: 1, hidden: 64 })).rejects.toMatchObject({
          code: 'NCCLTS_NOT_SUPPORTED',
        });
      },
      1,
    );
  });

  test('a group', async () => {
    await inWorld(2, async (comm) => {
      const send = await comm.allocWindow('f32', 64);
      await group(comm, async () => {
        await expect(allReduceRMSNorm(comm, { send, out: send, rows: 1, hidden: 64 })).rejects.toThrow(
          /cannot run in a group/,
        );
      });
    });
  });

  test('another call of another rank', async () => {
    await using world = await World.open({ backend: sim({ ranks: 2 }) });
    const calls = world.run(async (comm) => {
      const send = await comm.allocWindow('f32', 128);
      await allReduceRMSNorm(comm, { send, out: send, rows: comm.rank + 1, hidden: 64 });
    });
    await expect(calls).rejects.toThrow(/ranks disagree: rank 0 calls allReduceRMSNorm\(64 f32\)/);
  });
});
