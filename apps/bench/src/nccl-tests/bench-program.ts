import type { CollectiveName } from '@nccl-ts/collectives';
import { chunksByDistance } from './chunks-by-distance.ts';

/** The measured operation: a collective, or an operation made of sends and receives. */
export type BenchCollective = CollectiveName | 'sendRecv' | 'hypercube' | 'allToAllv';

/** The numbers of elements of a call. */
export interface CallCounts {
  /** The elements that a rank sends. */
  readonly send: number;
  /** The elements that a rank receives. */
  readonly recv: number;
  /** An argument of the call. */
  readonly param: number;
  /** In place, a rank's data begins at this number of elements times its rank. */
  readonly sendInPlace: number;
  readonly recvInPlace: number;
  /**
   * For ranks that send different amounts to each other: the elements for each rank, by its
   * distance, beginning with the rank itself.
   */
  readonly chunks?: readonly number[];
}

/**
 * A run of `count` elements from element `from` on, of the data that rank `of` sends or of the
 * reduction.
 */
export interface Expected {
  readonly of: number | 'reduced';
  readonly from: number;
  readonly count: number;
}

/** The position of a rank. */
export interface RankOf {
  readonly rank: number;
  readonly nRanks: number;
  readonly root: number;
}

/** A program of nccl-tests. */
export interface BenchProgram {
  readonly name: string;
  readonly collective: BenchCollective;
  readonly reduces: boolean;
  /** The operator: each requested one, even if it has no meaning, or this word. */
  readonly redop: 'asked' | 'none' | '';
  readonly rooted: boolean;
  /**
   * True if the operation exists in place. `unchecked` means that it is measured without checking
   * its result.
   */
  readonly inPlace: 'checked' | 'unchecked' | 'none';
  /**
   * The counts of a call whose buffers have at most `count` elements. `align` elements are 16
   * bytes.
   */
  readonly counts: (count: number, nRanks: number, align: number) => CallCounts;
  /** The number of elements that the algorithm bandwidth counts. */
  readonly baseCount: (counts: CallCounts, nRanks: number) => number;
  /** The bus bandwidth, as a multiple of the algorithm bandwidth. */
  readonly busFactor: (nRanks: number) => number;
  /** True if the rank's data is requested. */
  readonly sends: (at: RankOf) => boolean;
  /** The expected data of a rank, or `undefined` if its buffer does not change. */
  readonly expects: (at: RankOf, counts: CallCounts) => readonly Expected[] | undefined;
  /** The reason why this number of ranks is skipped, if it is. */
  readonly skips?: (nRanks: number) => string | undefined;
}

const always = (): true => true;
const one = (): number => 1;
const reportedCount = ({ param }: CallCounts): number => param;
const reportedCountOfAll = ({ param }: CallCounts, nRanks: number): number => param * nRanks;
const others = (nRanks: number): number => (nRanks - 1) / nRanks;
const isRoot = ({ rank, root }: RankOf): boolean => rank === root;

/** All ranks send and receive the call's count. */
function alike(count: number): CallCounts {
  return { send: count, recv: count, param: count, sendInPlace: 0, recvInPlace: 0 };
}

/** A rank's part of `count` elements, in whole units of 16 bytes. */
function partOf(count: number, nRanks: number, align: number): number {
  const part = Math.floor(count / nRanks);
  return part - (part % align);
}

/** Every rank's part, or the same part of every rank's data, starting at rank 0. */
function parts(nRanks: number, count: number, from = 0): readonly Expected[] {
  return Array.from({ length: nRanks }, (_, of) => ({ of, from, count }));
}

/** The buffers of a gather, in which each part has its own position in a buffer for all. */
function gathered(count: number, nRanks: number, align: number): CallCounts {
  const part = partOf(count, nRanks, align);
  return { send: part, recv: part * nRanks, param: part, sendInPlace: part, recvInPlace: 0 };
}

/** The buffers of a scatter, which is the reverse. */
function scattered(count: number, nRanks: number, align: number): CallCounts {
  const part = partOf(count, nRanks, align);
  return { send: part * nRanks, recv: part, param: part, sendInPlace: 0, recvInPlace: part };
}

/**
 * AlltoAllv, which sends more to more distant ranks (see `chunksByDistance`). Each rank sends and
 * receives as much as the others.
 */
export function allToAllv(spread: number): BenchProgram {
  return {
    name: 'alltoallv',
    collective: 'allToAllv',
    reduces: false,
    redop: 'none',
    rooted: false,
    inPlace: 'unchecked',
    counts: (count, nRanks, align) => {
      const param = partOf(count, nRanks, align);
      const chunks = chunksByDistance(param * nRanks, nRanks, align, spread);
      const all = chunks.reduce((sum, chunk) => sum + chunk, 0);
      return { send: all, recv: all, param, sendInPlace: 0, recvInPlace: 0, chunks };
    },
    baseCount: ({ send, recv }) => Math.max(send, recv),
    busFactor: others,
    sends: always,
    expects: ({ rank, nRanks }, { chunks = [] }) => {
      const chunk = (from: number, to: number): number => chunks[(to - from + nRanks) % nRanks] ?? 0;
      return Array.from({ length: nRanks }, (_, of) => {
        const before = Array.from({ length: rank }, (_to, to) => chunk(of, to)).reduce((sum, each) => sum + each, 0);
        return { of, from: before, count: chunk(of, rank) };
      });
    },
  };
}

/**
 * The programs. Counts, bandwidths and in-place offsets are those of nccl-tests 2.19.6. `expects`
 * describes its expected data in terms of the sent data.
 */
export const benchPrograms: readonly BenchProgram[] = Object.freeze([
  {
    name: 'all_reduce',
    collective: 'allReduce',
    reduces: true,
    redop: 'asked',
    rooted: false,
    inPlace: 'checked',
    counts: alike,
    baseCount: reportedCount,
    busFactor: (n) => (2 * (n - 1)) / n,
    sends: always,
    expects: (_, { recv }) => [{ of: 'reduced', from: 0, count: recv }],
  },
  {
    name: 'all_gather',
    collective: 'allGather',
    reduces: false,
    redop: 'none',
    rooted: false,
    inPlace: 'checked',
    counts: gathered,
    baseCount: reportedCountOfAll,
    busFactor: others,
    sends: always,
    expects: ({ nRanks }, { param }) => parts(nRanks, param),
  },
  {
    name: 'reduce_scatter',
    collective: 'reduceScatter',
    reduces: true,
    redop: 'asked',
    rooted: false,
    inPlace: 'checked',
    counts: scattered,
    baseCount: reportedCountOfAll,
    busFactor: others,
    sends: always,
    expects: ({ rank }, { param }) => [{ of: 'reduced', from: rank * param, count: param }],
  },
  {
    name: 'broadcast',
    collective: 'broadcast',
    reduces: false,
    redop: 'none',
    rooted: true,
    inPlace: 'checked',
    counts: alike,
    baseCount: reportedCount,
    busFactor: one,
    sends: isRoot,
    expects: ({ root }, { recv }) => [{ of: root, from: 0, count: recv }],
  },
  {
    name: 'reduce',
    collective: 'reduce',
    reduces: true,
    redop: 'asked',
    rooted: true,
    inPlace: 'checked',
    counts: alike,
    baseCount: reportedCount,
    busFactor: one,
    sends: always,
    expects: (at, { recv }) => (isRoot(at) ? [{ of: 'reduced', from: 0, count: recv }] : undefined),
  },
  {
    name: 'alltoall',
    collective: 'allToAll',
    reduces: false,
    redop: 'none',
    rooted: false,
    inPlace: 'none',
    counts: (count, nRanks, align) => {
      const param = partOf(count, nRanks, align);
      return { send: param * nRanks, recv: param * nRanks, param, sendInPlace: 0, recvInPlace: 0 };
    },
    baseCount: reportedCountOfAll,
    busFactor: others,
    sends: always,
    expects: ({ rank, nRanks }, { param }) => parts(nRanks, param, rank * param),
  },
  {
    name: 'gather',
    collective: 'gather',
    reduces: false,
    redop: 'none',
    rooted: true,
    inPlace: 'checked',
    counts: gathered,
    baseCount: reportedCountOfAll,
    busFactor: others,
    sends: always,
    expects: (at, { param }) => (isRoot(at) ? parts(at.nRanks, param) : undefined),
  },
  {
    name: 'scatter',
    collective: 'scatter',
    reduces: false,
    redop: 'none',
    rooted: true,
    inPlace: 'checked',
    counts: scattered,
    baseCount: reportedCountOfAll,
    busFactor: others,
    sends: isRoot,
    expects: ({ rank, root }, { param }) => [{ of: root, from: rank * param, count: param }],
  },
  {
    name: 'sendrecv',
    collective: 'sendRecv',
    reduces: false,
    redop: 'asked',
    rooted: false,
    inPlace: 'unchecked',
    counts: alike,
    baseCount: reportedCount,
    busFactor: one,
    sends: always,
    // From the previous rank, in a ring.
    expects: ({ rank, nRanks }, { recv }) => [{ of: (rank - 1 + nRanks) % nRanks, from: 0, count: recv }],
  },
  {
    name: 'hypercube',
    collective: 'hypercube',
    reduces: false,
    redop: '',
    rooted: false,
    inPlace: 'checked',
    counts: gathered,
    baseCount: ({ param }, nRanks) => param * (nRanks - 1),
    busFactor: one,
    sends: always,
    expects: ({ nRanks }, { param }) => parts(nRanks, param),
    skips: (nRanks) => (Number.isInteger(Math.log2(nRanks)) ? undefined : `${nRanks} ranks are not a power of 2`),
  },
  allToAllv(1),
] satisfies readonly BenchProgram[]);

/** The program of that name, with or without nccl-tests' `_perf`. */
export function benchProgramOf(name: string): BenchProgram | undefined {
  return benchPrograms.find((program) => program.name === name || `${program.name}_perf` === name);
}

/** GB/s of 10^9 bytes of a call with these counts that takes this many seconds. */
export function bandwidths(
  program: BenchProgram,
  call: {
    readonly counts: CallCounts;
    readonly elementBytes: number;
    readonly nRanks: number;
    readonly seconds: number;
  },
): { readonly algBw: number; readonly busBw: number } {
  const { counts, elementBytes, nRanks, seconds } = call;
  const algBw = (program.baseCount(counts, nRanks) * elementBytes) / 1e9 / seconds;
  return { algBw, busBw: algBw * program.busFactor(nRanks) };
}
