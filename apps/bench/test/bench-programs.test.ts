import { collectiveNames } from '@nccl-ts/collectives';
import { expect, test } from 'vitest';
import {
  allToAllv,
  bandwidths,
  benchProgramOf,
  benchPrograms,
  type BenchProgram,
} from '../src/nccl-tests/bench-program.ts';
import { chunksByDistance } from '../src/nccl-tests/chunks-by-distance.ts';

function program(name: string): BenchProgram {
  const found = benchProgramOf(name);
  if (found === undefined) throw new RangeError(`There is no ${name}.`);
  return found;
}

test('each collective has a program, and three others too, by both of their names', () => {
  const others = ['sendRecv', 'hypercube', 'allToAllv'];
  const measured: readonly string[] = benchPrograms.map(({ collective }) => collective);
  expect(measured.toSorted()).toEqual([...collectiveNames, ...others].toSorted());
  expect(benchProgramOf('sendrecv_perf')).toBe(benchProgramOf('sendrecv'));
  expect(benchProgramOf('alltoall_perf')).toBe(benchProgramOf('alltoall'));
  expect(benchProgramOf('all_to_all')).toBeUndefined();
});

// Base bytes and factors: nccl-tests' doc/PERFORMANCE.md and its sources, here for 8 ranks, a call
// of 1e9 elements of f32, 2 s.
test.each([
  ['all_reduce', 2, 2 * (14 / 8)],
  ['all_gather', 16, 16 * (7 / 8)],
  ['reduce_scatter', 16, 16 * (7 / 8)],
  ['broadcast', 2, 2],
  ['reduce', 2, 2],
  ['alltoall', 16, 16 * (7 / 8)],
  ['gather', 16, 16 * (7 / 8)],
  ['scatter', 16, 16 * (7 / 8)],
  ['sendrecv', 2, 2],
  ['hypercube', 14, 14],
])("the bandwidths of %s follow nccl-tests' formula", (name, algBw, busBw) => {
  const counts = { param: 1e9, send: 0, recv: 0, sendInPlace: 0, recvInPlace: 0 };
  const call = { counts, elementBytes: 4, nRanks: 8, seconds: 2 };
  expect(bandwidths(program(name), call)).toEqual({ algBw, busBw });
});

test('the bandwidth of alltoallv counts the bytes that a rank sends', () => {
  const counts = program('alltoallv').counts(1000, 3, 4);
  expect(bandwidths(program('alltoallv'), { counts, elementBytes: 4, nRanks: 3, seconds: 1e-6 })).toEqual({
    algBw: expect.closeTo(3.984, 9),
    busBw: expect.closeTo(2.656, 9),
  });
});

test('a chunk is larger for a peer further away, and the spread says by how much', () => {
  expect(chunksByDistance(600, 4, 4, 1)).toEqual([0, 100, 200, 300]);
  expect(chunksByDistance(600, 4, 4, 0)).toEqual([148, 148, 148, 148]);
  expect(chunksByDistance(600, 4, 4, 0.5)).toEqual([72, 124, 172, 224]);
  expect(chunksByDistance(16, 1, 4, 0.3)).toEqual([16]);
  expect(allToAllv(0).counts(600, 4, 4)).toMatchObject({ send: 592, recv: 592, param: 148 });
});

// 1000 elements of f32 on 3 ranks: parts of 333, rounded down to whole 16 bytes.
test.each([
  ['all_reduce', { send: 1000, recv: 1000, param: 1000, sendInPlace: 0, recvInPlace: 0 }],
  ['all_gather', { send: 332, recv: 996, param: 332, sendInPlace: 332, recvInPlace: 0 }],
  ['reduce_scatter', { send: 996, recv: 332, param: 332, sendInPlace: 0, recvInPlace: 332 }],
  ['broadcast', { send: 1000, recv: 1000, param: 1000, sendInPlace: 0, recvInPlace: 0 }],
  ['reduce', { send: 1000, recv: 1000, param: 1000, sendInPlace: 0, recvInPlace: 0 }],
  ['alltoall', { send: 996, recv: 996, param: 332, sendInPlace: 0, recvInPlace: 0 }],
  ['gather', { send: 332, recv: 996, param: 332, sendInPlace: 332, recvInPlace: 0 }],
  ['scatter', { send: 996, recv: 332, param: 332, sendInPlace: 0, recvInPlace: 332 }],
  ['sendrecv', { send: 1000, recv: 1000, param: 1000, sendInPlace: 0, recvInPlace: 0 }],
  ['hypercube', { send: 332, recv: 996, param: 332, sendInPlace: 332, recvInPlace: 0 }],
  ['alltoallv', { send: 996, recv: 996, param: 332, sendInPlace: 0, recvInPlace: 0, chunks: [0, 332, 664] }],
])('counts of %s', (name, counts) => {
  expect(program(name).counts(1000, 3, 4)).toEqual(counts);
});

test('expected results of ranks', () => {
  const at = { rank: 1, nRanks: 3, root: 2 };
  const expected = (name: string) => program(name).expects(at, program(name).counts(36, 3, 4));
  expect(expected('all_reduce')).toEqual([{ of: 'reduced', from: 0, count: 36 }]);
  expect(expected('reduce_scatter')).toEqual([{ of: 'reduced', from: 12, count: 12 }]);
  expect(expected('broadcast')).toEqual([{ of: 2, from: 0, count: 36 }]);
  expect(expected('scatter')).toEqual([{ of: 2, from: 12, count: 12 }]);
  expect(expected('gather')).toBeUndefined();
  expect(expected('alltoall')).toEqual([0, 1, 2].map((of) => ({ of, from: 12, count: 12 })));
  expect(expected('all_gather')).toEqual([0, 1, 2].map((of) => ({ of, from: 0, count: 12 })));
  expect(expected('hypercube')).toEqual([0, 1, 2].map((of) => ({ of, from: 0, count: 12 })));
  expect(expected('sendrecv')).toEqual([{ of: 0, from: 0, count: 36 }]);
  // Rank 1 gets the whole of a third from rank 0, which sends itself nothing, and two thirds from
  // rank 2, behind rank 0's.
  expect(expected('alltoallv')).toEqual([
    { of: 0, from: 0, count: 12 },
    { of: 1, from: 24, count: 0 },
    { of: 2, from: 12, count: 24 },
  ]);
});
