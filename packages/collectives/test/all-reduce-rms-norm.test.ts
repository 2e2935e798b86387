import { sim } from '@nccl-ts/backend-sim';
import { allReduceRMSNorm, group, type AllReduceRMSNormArgs } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { describe, expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

test('a row of zeros has the scale 0 and stays zero', async () => {
  await inWorld(2, async (comm) => {
    const [send, out] = [await comm.allocWindow('bf16', 64), await comm.allocWindow('e4m3', 64)];
    const scales = await comm.allocWindow('f32', 1);
    await scales.write(Float32Array.of(7));
    await allReduceRMSNorm(comm, { send, out, rows: 1, hidden: 64, quantize: { scales } });
    expect([...(await scales.read()), ...(await out.read())]).toEqual(Array.from({ length: 65 }, () => 0));
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

  test('rows that do not fit in a CTA', async () => {
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

  test("a call that differs from another rank's call", async () => {
    await using world = await World.open({ backend: sim({ ranks: 2 }) });
    const calls = world.run(async (comm) => {
      const send = await comm.allocWindow('f32', 128);
      await allReduceRMSNorm(comm, { send, out: send, rows: comm.rank + 1, hidden: 64 });
    });
    await expect(calls).rejects.toThrow(/ranks disagree: rank 0 calls allReduceRMSNorm\(64 f32\)/);
  });
});
