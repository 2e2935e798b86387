import type { CollectiveName } from '@nccl-ts/collectives';

/** What a program measures: a collective. What is none, such as send and receive, gets a name of its own here. */
export type BenchCollective = CollectiveName;

/** Elements of one call. */
export interface CallCounts {
  /** That a rank sends. */
  readonly send: number;
  /** That a rank receives. */
  readonly recv: number;
  /** What the call is told. */
  readonly param: number;
  /** In place, a rank sends from so many elements times its rank into its buffer on, and receives as much further. */
  readonly sendInPlace: number;
  readonly recvInPlace: number;
}

/** A run of elements: `count` from number `from` on of what rank `of` sends, or of what reducing it gives. */
export interface Expected {
  readonly of: number | 'reduced';
  readonly from: number;
  readonly count: number;
}

/** Where a rank is. */
export interface RankOf {
  readonly rank: number;
  readonly nRanks: number;
  readonly root: number;
}

/** One program of nccl-tests. */
export interface BenchProgram {
  readonly name: string;
  readonly collective: BenchCollective;
  readonly reduces: boolean;
  readonly rooted: boolean;
  /** Whether there is such a thing as working in place. */
  readonly inPlace: boolean;
  /** Of a call whose buffers have at most `count` elements; `align` is the elements of 16 bytes. */
  readonly counts: (count: number, nRanks: number, align: number) => CallCounts;
  /** What the bandwidth of the algorithm counts: elements, as multiples of what the call is told. */
  readonly baseCount: (nRanks: number) => number;
  /** The bus bandwidth, as a multiple of the algorithm's. */
  readonly busFactor: (nRanks: number) => number;
  /** Whether the rank's data is asked for. */
  readonly sends: (at: RankOf) => boolean;
  /** What a rank then has; undefined where its buffer stays as it is. */
  readonly expects: (at: RankOf, counts: CallCounts) => readonly Expected[] | undefined;
}

const always = (): true => true;
const one = (): number => 1;
const ranks = (nRanks: number): number => nRanks;
const others = (nRanks: number): number => (nRanks - 1) / nRanks;
const isRoot = ({ rank, root }: RankOf): boolean => rank === root;

/** All ranks send and receive as much as the call is told. */
function alike(count: number): CallCounts {
  return { send: count, recv: count, param: count, sendInPlace: 0, recvInPlace: 0 };
}

/** A rank's part of `count` elements, of whole 16 bytes. */
function partOf(count: number, nRanks: number, align: number): number {
  const part = Math.floor(count / nRanks);
  return part - (part % align);
}

/** Every rank's part, or the same part of what every rank has, from rank 0 on. */
function parts(nRanks: number, count: number, from = 0): readonly Expected[] {
  return Array.from({ length: nRanks }, (_, of) => ({ of, from, count }));
}

/** What is gathered: a part goes to a place of its own in a buffer for all. */
function gathered(count: number, nRanks: number, align: number): CallCounts {
  const part = partOf(count, nRanks, align);
  return { send: part, recv: part * nRanks, param: part, sendInPlace: part, recvInPlace: 0 };
}

/** What is scattered: the other way round. */
function scattered(count: number, nRanks: number, align: number): CallCounts {
  const part = partOf(count, nRanks, align);
  return { send: part * nRanks, recv: part, param: part, sendInPlace: 0, recvInPlace: part };
}

/**
 * The programs. Counts, bandwidths and places in place are those of nccl-tests 2.19.6; `expects` says the same as its
 * initialisation does, in terms of what ranks send.
 */
export const benchPrograms: readonly BenchProgram[] = Object.freeze([
  {
    name: 'all_reduce',
    collective: 'allReduce',
    reduces: true,
    rooted: false,
    inPlace: true,
    counts: alike,
    baseCount: one,
    busFactor: (n) => (2 * (n - 1)) / n,
    sends: always,
    expects: (_, { recv }) => [{ of: 'reduced', from: 0, count: recv }],
  },
  {
    name: 'all_gather',
    collective: 'allGather',
    reduces: false,
    rooted: false,
    inPlace: true,
    counts: gathered,
    baseCount: ranks,
    busFactor: others,
    sends: always,
    expects: ({ nRanks }, { param }) => parts(nRanks, param),
  },
  {
    name: 'reduce_scatter',
    collective: 'reduceScatter',
    reduces: true,
    rooted: false,
    inPlace: true,
    counts: scattered,
    baseCount: ranks,
    busFactor: others,
    sends: always,
    expects: ({ rank }, { param }) => [{ of: 'reduced', from: rank * param, count: param }],
  },
  {
    name: 'broadcast',
    collective: 'broadcast',
    reduces: false,
    rooted: true,
    inPlace: true,
    counts: alike,
    baseCount: one,
    busFactor: one,
    sends: isRoot,
    expects: ({ root }, { recv }) => [{ of: root, from: 0, count: recv }],
  },
  {
    name: 'reduce',
    collective: 'reduce',
    reduces: true,
    rooted: true,
    inPlace: true,
    counts: alike,
    baseCount: one,
    busFactor: one,
    sends: always,
    expects: (at, { recv }) => (isRoot(at) ? [{ of: 'reduced', from: 0, count: recv }] : undefined),
  },
  {
    name: 'alltoall',
    collective: 'allToAll',
    reduces: false,
    rooted: false,
    inPlace: false,
    counts: (count, nRanks, align) => {
      const param = partOf(count, nRanks, align);
      return { send: param * nRanks, recv: param * nRanks, param, sendInPlace: 0, recvInPlace: 0 };
    },
    baseCount: ranks,
    busFactor: others,
    sends: always,
    expects: ({ rank, nRanks }, { param }) => parts(nRanks, param, rank * param),
  },
  {
    name: 'gather',
    collective: 'gather',
    reduces: false,
    rooted: true,
    inPlace: true,
    counts: gathered,
    baseCount: ranks,
    busFactor: others,
    sends: always,
    expects: (at, { param }) => (isRoot(at) ? parts(at.nRanks, param) : undefined),
  },
  {
    name: 'scatter',
    collective: 'scatter',
    reduces: false,
    rooted: true,
    inPlace: true,
    counts: scattered,
    baseCount: ranks,
    busFactor: others,
    sends: isRoot,
    expects: ({ rank, root }, { param }) => [{ of: root, from: rank * param, count: param }],
  },
] satisfies readonly BenchProgram[]);

/** The program of that name, with or without nccl-tests' `_perf`. */
export function benchProgramOf(name: string): BenchProgram | undefined {
  return benchPrograms.find((program) => program.name === name || `${program.name}_perf` === name);
}

/** GB/s of 10^9 bytes of a call with these counts that takes so many seconds. */
export function bandwidths(
  program: BenchProgram,
  call: { readonly param: number; readonly elementBytes: number; readonly nRanks: number; readonly seconds: number },
): { readonly algBw: number; readonly busBw: number } {
  const algBw = (call.param * program.baseCount(call.nRanks) * call.elementBytes) / 1e9 / call.seconds;
  return { algBw, busBw: algBw * program.busFactor(call.nRanks) };
}
