import { f32, harness, type Harness, type HarnessOptions, type RankSetup } from '@nccl-ts/harness';

const COUNT = 256;

interface Test {
  readonly kernel: string;
  readonly entry: string;
  readonly devComm: NonNullable<HarnessOptions['devComm']>;
  /** The elements of each window. */
  readonly elements: (nRanks: number) => number;
  readonly result: (i: number, setup: RankSetup) => number;
}

/** All kernels of NCCL's tests have the same parameters. */
function test({ kernel, entry, devComm, elements, result }: Test): Harness {
  return harness({
    kernel,
    entry,
    grid: 2,
    block: 32,
    devComm,
    setup(setup) {
      const { rank, nRanks, alloc } = setup;
      const sendwin = alloc('sendwin', f32, elements(nRanks), (i) => rank + i);
      const recvwin = alloc('recvwin', f32, elements(nRanks));
      return {
        args: [sendwin, 0, recvwin, 0, COUNT, 0, setup.devComm],
        expect: () => recvwin.equals((i) => result(i, setup)),
      };
    },
  });
}

/** A launch of a kernel of `src/all_reduce.cu`. */
export function allReduceTest(entry: string, devComm: Test['devComm']): Harness {
  return test({
    kernel: 'nccl-tests-all-reduce.ptx',
    entry,
    devComm,
    elements: () => COUNT,
    result: (i, { sum }) => sum((r) => r + i),
  });
}

/** A launch of a kernel of `src/alltoall.cu`. */
export function alltoallTest(entry: string, devComm: Test['devComm']): Harness {
  return test({
    kernel: 'nccl-tests-alltoall.ptx',
    entry,
    devComm,
    elements: (nRanks) => nRanks * COUNT,
    result: (i, { rank }) => Math.floor(i / COUNT) + rank * COUNT + (i % COUNT),
  });
}
