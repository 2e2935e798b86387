import { sim } from '@nccl-ts/backend-sim';
import { getLsaMultimemDevicePointer, getPeerDevicePointer, World } from '@nccl-ts/communicator';
import {
  alignedTo,
  array,
  bf16,
  bytes,
  customAllReduce,
  deepEpBuffers,
  f32,
  f64,
  harness,
  ncclDevComm,
  ncclLayouts,
  ncclWindow,
  ptr,
  signalType,
  struct,
  symmetricMemory,
  u16,
  u32,
  u64,
  u8,
  type Allocation,
  type RankSetup,
} from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';
import { describeRanks } from '../src/describe-ranks.ts';
import { ImageWriter } from '../src/memory/memory-image.ts';
import { layOutParameters } from '../src/parameter-bytes.ts';
import { param, structParam } from './support/stub-kernel.ts';

describe('the layout of C++', () => {
  // The sizes and offsets that a compiler reports for the same structs.
  it.each([
    [struct({ a: u8, b: u32, c: u8 }), 12, 4, [0, 4, 8]],
    [struct({ a: u8, b: u64 }), 16, 8, [0, 8]],
    [struct({ a: array(u8, 3), b: u16, c: f64, d: u8 }), 24, 8, [0, 4, 8, 16]],
    [struct({ a: struct({ x: u8, y: u32 }), b: u8 }), 12, 4, [0, 8]],
    [struct({ p: array(ptr, 8) }, { align: 16 }), 64, 16, [0]],
    [struct({ a: u8, b: bytes(5, 4), c: bf16 }), 12, 4, [0, 4, 10]],
    [struct({ a: u32, b: alignedTo(u32, 64) }), 128, 64, [0, 64]],
  ] as const)("of type %# equals the compiler's", (type, size, align, offsets) => {
    expect([type.bytes, type.align, [...type.offsets.values()]]).toEqual([size, align, offsets]);
  });

  it('writes values at their offsets, and zeros elsewhere', () => {
    const type = struct({ a: u8, b: array(struct({ x: u16, y: f32 }), 2), c: u8 });
    const image = new ImageWriter(type.bytes);
    type.encode(image, 0, { b: [{ x: 1 }, { x: 2, y: 1 }], c: 255 }, 'a value');
    expect([...image.bytes]).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 128, 63, 255, 0, 0, 0]);
  });

  it.each([
    [() => encode(u8, 256), /a value must be a whole number from 0 to 255 \(u8\); given 256/],
    [() => encode(f32, 'x'), /a value must be a number \(f32\)/],
    [() => encode(struct({ a: u32 }), { b: 1 }), /has a field b that the struct has not; it has a/],
    [() => encode(struct({ a: array(u32, 2) }), { a: [1, 2, 3] }), /a value\.a must be an array of at most 2 elements/],
    [() => encode(struct({ a: array(u32, 2) }), { a: [1, -1] }), /a value\.a\[1\] must be a whole number/],
    [() => encode(ptr, 5), /must be an allocation, a pointer made by peer or multicast, or null; given 5/],
    [() => struct({ a: u8 }, { align: 3 }), /align must be a power of two/],
  ])('refuses a value of the wrong type: %#', (make, message) => {
    expect(make).toThrow(message);
  });

  it('gives each parameter its own alignment', () => {
    const { placed, bytes: all } = layOutParameters([
      param('a', 'u32', 4),
      structParam('b', 12, 4),
      param('c', 'u64', 8),
      param('d', 'u8', 1),
      structParam('e', 64, 16),
    ]);
    expect(placed.map(({ offset }) => offset)).toEqual([0, 4, 16, 24, 32]);
    expect(all).toBe(96);
  });
});

function encode(
  type: { encode: (into: ImageWriter, at: number, value: unknown, what: string) => void },
  value: unknown,
): void {
  type.encode(new ImageWriter(64), 0, value, 'a value');
}

describe('an adapter', () => {
  const described = (setup: (rank: RankSetup) => readonly unknown[]): readonly string[] => {
    const definition = harness({
      entry: 'x',
      grid: 1,
      block: 1,
      setup: (rank) => {
        setup(rank);
        return { args: [] };
      },
    });
    const [, second] = describeRanks(definition, 2);
    return (second?.memory ?? []).map(({ allocation, image }) => {
      const pointers = image.pointers.map(({ at, pointer }) => `${at}: ${pointer.allocation.name} ${pointer.rank}`);
      return `${allocation.name} ${allocation.bytes} [${pointers.join(', ')}]`;
    });
  };
  const input = ({ alloc }: RankSetup): Allocation<number | bigint> => alloc('input', f32, 4);

  it('for the custom AllReduce has the sizes of its C++ types', () => {
    expect([signalType('flags').bytes, [...signalType('flags').offsets.values()]]).toEqual([2560, [0, 1152, 2304]]);
    expect([signalType('counters').bytes, [...signalType('counters').offsets.values()]]).toEqual([3456, [0, 1152]]);
    expect([...signalType('flags', 80).offsets.values()]).toEqual([0, 2560, 5120]);
    expect(described((rank) => [customAllReduce(rank, { input: input(rank), scratchBytes: 64 })])).toEqual([
      'input 16 []',
      'signal 2624 []',
      'RankData 64 [0: input 0, 8: input 1]',
    ]);
  });

  it('for symmetric memory makes tables of addresses', () => {
    expect(described((rank) => [symmetricMemory(rank, { buffer: input(rank) })])).toEqual([
      'input 16 []',
      'signal pad 2048 []',
      'buffer_ptrs_dev 16 [0: input 0, 8: input 1]',
      'signal_pad_ptrs_dev 16 [0: signal pad 0, 8: signal pad 1]',
    ]);
  });

  it.each(['2.28', '2.29.3', '2.29', '2.30', '2.31', '2.32'] as const)(
    'for NCCL %s passes windows and a device communicator by value',
    (version) => {
      const memory = described((rank) => {
        ncclWindow(rank, input(rank), { version });
        return [ncclDevComm(rank, { version, lsaBarriers: 4 })];
      });
      const { windowBytes } = ncclLayouts[version];
      expect(memory).toEqual([
        'input 16 []',
        `window of input ${windowBytes} [8: input 0, 28: input multicast]`,
        'resource window 128 []',
        `window of resource window ${windowBytes} [8: resource window 0, 28: resource window multicast]`,
      ]);
    },
  );

  it.each([
    ['2.28', []],
    ['2.29', [{ offset: 216, value: 0n }]],
    ['2.30', [{ offset: 208, value: 0n }]],
    ['2.32', [{ offset: 168, value: 0n }]],
  ] as const)('for NCCL %s finds a null abort flag, in a struct too', (version, words) => {
    described((rank) => {
      const { type } = ncclDevComm(rank, { version });
      expect(type.known).toEqual(words);
      const around = struct({ before: u64, comm: type });
      expect(around.known).toEqual(words.map(({ offset, value }) => ({ offset: 8 + offset, value })));
      return [];
    });
  });

  it('for DeepEP has room for a node', () => {
    expect(described((rank) => [deepEpBuffers(rank, { bytes: 128 })])).toEqual([
      'buffer 128 []',
      'barrier signals 32 []',
      'buffer_ptrs 64 [0: buffer 0, 8: buffer 1]',
      'barrier_signal_ptrs 64 [0: barrier signals 0, 8: barrier signals 1]',
    ]);
  });
});

it("for NCCL has windows 4 GiB apart, as in the simulator, and multicast at the window's page", async () => {
  await using world = await World.open({ backend: sim({ ranks: 2 }) });
  const apart = await world.run(async (comm) => {
    await comm.allocWindow('u8', 5000);
    const window = await comm.allocWindow('u8', 64);
    const [first, second] = [0, 1].map((peer) => getPeerDevicePointer(window, 0, peer)?.address ?? 0);
    const multicast = getLsaMultimemDevicePointer(window, 0)?.address ?? 0;
    return [(second ?? 0) - (first ?? 0), (multicast % 2 ** 32) / 4096, multicast > 2 ** 32];
  });
  expect(apart).toEqual([
    [2 ** 32, 258, true],
    [2 ** 32, 258, true],
  ]);
});
