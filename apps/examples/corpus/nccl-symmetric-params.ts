import { array, bytes, f32, harness, i32, ncclDevComm, ncclWindow, ptr, struct, u16, u64 } from '@nccl-ts/harness';
import type { Harness, RankSetup } from '@nccl-ts/harness';

const version = '2.30';
const CTAS = 2;
const COUNT = 96;

/** ncclSymkChannelWorkRange. */
const WorkRange = struct({ workHi: u16, fracHi: u16 });

/** ncclSymkDevWork. */
const Work = struct({
  redOpArg: u64,
  nElts: u64,
  inputWin: ptr,
  outputWin: ptr,
  offsets: array(u64, 2),
  rootRank: i32,
  channel: u16,
  nChannels: u16,
  padding: u64,
});

export interface SymmetricKernel {
  readonly entry: string;
  /** The parts of a rank's input and output: one, or one for each rank. */
  readonly input: (nRanks: number) => number;
  readonly output: (nRanks: number) => number;
  /** The bytes of an element, as the kernel counts them. */
  readonly elementBytes: number;
  readonly result: (i: number, setup: RankSetup, count: number) => number;
}

/** A launch of one of NCCL's symmetric kernels: one work, shared by two CTAs. */
export function symmetricKernel({ entry, input, output, elementBytes, result }: SymmetricKernel): Harness {
  return harness({
    kernel: 'nccl-symmetric.ptx',
    entry,
    grid: CTAS,
    block: 64,
    setup(setup) {
      const { rank, nRanks, alloc } = setup;
      const send = alloc('send', f32, COUNT * input(nRanks), (i) => rank + i);
      const recv = alloc('recv', f32, COUNT * output(nRanks));
      const [inputWin, outputWin] = [send, recv].map((data) => ncclWindow(setup, data, { version }));
      const comm = ncclDevComm(setup, { version, lsaBarriers: CTAS });
      const Args = struct({
        comm: comm.type,
        // The handles of the other kernels.
        handles: bytes(48, 8),
        nMaxChannels: i32,
        rest: bytes(12, 4),
        ranges: array(WorkRange, 4),
        work: Work,
        tail: bytes(4096 - 384, 8),
      });
      const ranges = Array.from({ length: CTAS }, (_, i) => ({ workHi: 0, fracHi: ((i + 1) << 16) / CTAS - 1 }));
      const nElts = BigInt((COUNT * 4) / elementBytes);
      const work = { nElts, inputWin: inputWin ?? null, outputWin: outputWin ?? null, nChannels: CTAS };
      return {
        args: [Args({ comm: null, nMaxChannels: CTAS, ranges, work })],
        expect: () => recv.equals((i) => result(i, setup, COUNT)),
      };
    },
  });
}
