import type { Communicator } from '@nccl-ts/communicator';
import { at, decodeArray, encodeArray, type ScalarKind } from '@nccl-ts/core';
import { devComm, llA2AHandle, team, window } from '@nccl-ts/devcomm';
import { bf16, f16, f32, i32, kernel, u64, type Kernel, type ScalarParam } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import type { Case, TeamChoice } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { count, scrambled } from '../fixture/numbers.ts';
import { createSlots } from './create-slots.ts';

const params = { comm: devComm, team, handle: llA2AHandle, input: window, out: window };
/** CTAs that each have a session, with threads that each have a value. */
const ctas = 2;
const block = 16;
const threads = ctas * block;

/** Sums the members' values in type A, `each` values at a time. */
function sums(T: ScalarParam<ScalarKind, unknown>, A: ScalarParam<ScalarKind, unknown>, each: number): Kernel {
  return kernel(
    { name: `sums_${T.scalar}_by_${each}`, use: { llA2A, lsa, T, A, each }, params },
    ({ llA2A, lsa, T, A, each, coopCta, threadIdx, blockIdx, blockDim }, { comm, team, handle, input, out }) => {
      const session = llA2A.session(coopCta(), comm, team, handle, blockIdx.x, team.nRanks * blockDim.x);
      const i = blockIdx.x * blockDim.x + threadIdx.x;
      session.bcast(team.rank * blockDim.x + threadIdx.x, lsa.localPointer(input, T, 0).load(i));
      const sum = session.recvReduce(
        each,
        T,
        threadIdx.x,
        team.nRanks,
        blockDim.x,
        (elt) => A(elt),
        (a, b) => a + b,
      );
      lsa.localPointer(out, A, 0).store(i, sum);
      session.endEpoch(coopCta());
    },
  );
}

interface Sum {
  readonly kernel: Kernel;
  readonly from: ScalarKind;
  readonly to: ScalarKind;
  /** A member's value, of a random number. */
  readonly value: (random: number) => number | bigint;
  readonly add: (a: number | bigint, b: number | bigint) => number | bigint;
}

/** Small enough to be exact in a 16-bit float, and to have exact sums in f32. */
const eighths = (random: number): number => ((random % 256) - 128) / 8;
const inF32 = (a: number | bigint, b: number | bigint): number => Math.fround(Number(a) + Number(b));

const f32Sums = (each: number): Sum => ({
  kernel: sums(f32, f32, each),
  from: 'f32',
  to: 'f32',
  // Their sums are rounded, so the order affects the result.
  value: (random) => Math.fround((random - 2 ** 30) / 3),
  add: inF32,
});

const halfSums: readonly Sum[] = [
  { kernel: sums(bf16, f32, 2), from: 'bf16', to: 'f32', value: eighths, add: inF32 },
  { kernel: sums(f16, f32, 2), from: 'f16', to: 'f32', value: eighths, add: inF32 },
];

const integerSums: readonly Sum[] = [
  {
    kernel: sums(i32, i32, 2),
    from: 'i32',
    to: 'i32',
    value: (random) => random | 0,
    add: (a, b) => (Number(a) + Number(b)) | 0,
  },
  {
    kernel: sums(u64, u64, 2),
    from: 'u64',
    to: 'u64',
    value: (random) => BigInt(random) << 32n,
    add: (a, b) => BigInt.asUintN(64, BigInt(a) + BigInt(b)),
  },
];

async function checkSums(comm: Communicator, choice: TeamChoice, all: readonly Sum[]): Promise<void> {
  for (const { kernel: of, from, to, value, add } of all) {
    const slots = await createSlots(comm, choice, ctas, ({ nRanks }) => nRanks * block);
    const { nRanks, rank, stride } = slots.team;
    const input = await comm.allocWindow(from, threads);
    const out = await comm.allocWindow('u8', threads * 8);
    const valuesOf = (world: number): readonly (number | bigint)[] => scrambled(threads, 5 + world).map(value);
    const encoded = encodeArray(from, valuesOf(comm.rank));
    await input.write(new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength));
    await comm.launch(of, { grid: ctas, block }, { ...slots, input, out });
    const members = count(nRanks).map((member) => valuesOf(comm.rank + (member - rank) * stride));
    const expected = count(threads).map((thread) =>
      members.map((values) => at(values, thread)).reduce((sum, next) => add(sum, next)),
    );
    const bytes = (await out.read()).subarray(0, threads * (to === 'u64' ? 8 : 4));
    expectValues(`${of.name} on rank ${comm.rank}`, decodeArray(to, bytes), expected);
  }
}

const inTwos = f32Sums(2);
const oneByOne = f32Sums(1);

export const inOrder: Case<'ll-a2a/reducing/in-order'> = defineCase({
  id: 'll-a2a/reducing/in-order',
  mirrors: 'ncclLLA2ASession::recvReduce',
  requires: { scalars: ['u64'] },
  ranks: [1, 2, 3, 4, 8],
  kernels: [inTwos.kernel, oneByOne.kernel],
  run: async ({ run }) => {
    await run(async (comm) => checkSums(comm, 'lsa', [inTwos, oneByOne]));
  },
});

export const halves: Case<'ll-a2a/reducing/halves'> = defineCase({
  id: 'll-a2a/reducing/halves',
  mirrors: 'ncclLLA2ASession::recvReduce, whose eltToAcc makes another type',
  requires: { scalars: ['u16', 'u64', 'f16', 'bf16'] },
  ranks: [2, 8],
  kernels: halfSums.map((sum) => sum.kernel),
  run: async ({ run }) => {
    await run(async (comm) => checkSums(comm, 'lsa', halfSums));
  },
});

export const integers: Case<'ll-a2a/reducing/integers'> = defineCase({
  id: 'll-a2a/reducing/integers',
  mirrors: 'ncclLLA2ASession::recvReduce',
  requires: { scalars: ['u64'] },
  ranks: [2, 4],
  kernels: integerSums.map((sum) => sum.kernel),
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => checkSums(comm, choice, integerSums));
  },
});
