import { check, type CheckOptions } from '@nccl-ts/checker';
import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { parseModule } from '@nccl-ts/ir';
import { moduleKernel, u64 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';

/**
 * Each rank reads the address of its peer's data from a table, stores there, and records the
 * address of the next word.
 */
const body = (offset: string): string => `kernel peers
param $0 table: u64
param $1 out: u64
local %0 at: u64
{
  %0 = load address(u64, $0)
  store (address(u32, %0) +> ${offset}), 7:u32 relaxed.system
  store address(u64, $1), u64((address(u32, %0) +> 1:i32))
}
`;

const peers = (offset: string): ReturnType<typeof moduleKernel> =>
  moduleKernel({ name: 'peers', params: { table: u64, out: u64 } }, () => parseModule(body(offset)));

const addressOf = (pointer: { readonly address: number } | null): bigint => BigInt(pointer?.address ?? -1);

interface Results {
  readonly data: readonly number[];
  /** The distance at which the kernel accesses the word after its peer's data. */
  readonly next: number;
}

async function run(backend: SimBackend, offset = '0:i32'): Promise<readonly Results[]> {
  await using world = await World.open({ backend });
  return await world.run(async (comm) => {
    const table = await comm.allocWindow('u64', 1);
    const data = await comm.allocWindow('u32', 4);
    const out = await comm.allocWindow('u64', 1);
    const peer = addressOf(getLsaDevicePointer(data, 0, (comm.rank + 1) % comm.nRanks));
    await table.write(BigUint64Array.of(peer));
    const own = (window: typeof table): bigint => addressOf(getLsaDevicePointer(window, 0, comm.rank));
    await comm.launch(peers(offset), { grid: 1, block: 1 }, { table: own(table), out: own(out) });
    await comm.synchronize();
    const [next = 0n] = await out.read();
    return { data: [...(await data.read())], next: Number(next - peer) };
  });
}

const same: Results = { data: [7, 0, 0, 0], next: 4 };

describe('a pointer that a kernel makes from a number', () => {
  it.each(['js', 'wasm'] as const)("reaches a peer's memory, and converts back to the number: %s", async (engine) => {
    expect(await run(sim({ ranks: 2, engine }))).toEqual([same, same]);
  });

  it.each<[string, Omit<CheckOptions, 'ranks'>]>([
    ['by default', {}],
    ['in one schedule', { strategy: 'late' }],
    ['in all executions', { strategy: 'exhaustive' }],
  ])('is bounds-checked %s', async (_, how) => {
    const report = await check({ ranks: 2, ...how }, async (backend) => {
      await run(backend);
    });
    // The host of each rank reads its data while its peer's kernel may still run.
    expect(new Set(report.findings.map(({ kind }) => kind))).toEqual(new Set(['race']));
  });

  it('keeps the bounds of its memory', async () => {
    await expect(run(sim({ ranks: 2 }), '4:i32')).rejects.toThrow(/byte 16 of window 1/);
  });

  it('is reported as a fault if there is no memory at its address', async () => {
    const stray = moduleKernel({ name: 'stray', params: { at: u64 } }, () =>
      parseModule('kernel stray\nparam $0 at: u64\n{\n  store address(u32, $0), 7:u32\n}\n'),
    );
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    const launched = world.run(async (comm) => {
      await comm.launch(stray, { grid: 1, block: 1 }, { at: 0x7f00_0000_0010n });
      await comm.synchronize();
    });
    await expect(launched).rejects.toThrow(
      'store of 4 bytes out of bounds: device address 0x7f0000000010, where this rank can reach no memory',
    );
  });
});
