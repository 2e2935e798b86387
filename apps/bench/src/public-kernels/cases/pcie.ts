import { array, bf16, harness, i32, ptr, struct, u32, u64, type Harness } from '@nccl-ts/harness';
import { inputAt, partsOf, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

/** Ranks for which the tables have room, the CTAs of a workspace, and words between two flags. */
const [MOST_RANKS, MOST_CTAS, FLAG_STRIDE] = [8, 64, 32];

const RANKS = 2;

const tables = {
  signal_ptrs: array(ptr, MOST_RANKS),
  staging0_ptrs: array(ptr, MOST_RANKS),
  staging1_ptrs: array(ptr, MOST_RANKS),
  input: ptr,
  output: ptr,
  packs: u64,
  pack_stride: u64,
  max_blocks: i32,
  world_size: i32,
};

const words = { flag_base_word: u64, call_epoch_word: u64, call_blocks_arrived_word: u64 };

/** The rank is an argument here; FlashInfer makes it a template's. */
const AllGatherParams = struct({ ...tables, ...words, rank: i32 });

const ReduceScatterParams = struct({ ...tables, rank: i32, ...words });

/** The places of `WorkspaceLayout`, in words of 4 bytes. */
const FLAGS = MOST_CTAS * RANKS;
const EPOCH = FLAGS + 2 * MOST_CTAS * RANKS * FLAG_STRIDE;

/** `_threads_for` of its host code. */
function threadsFor(packs: number): number {
  if (packs <= 1024) return 64;
  if (packs <= 4096) return 128;
  return packs <= 16384 ? 256 : 512;
}

function pcie(name: string, entry: string, sizes: readonly number[]): PublicKernel {
  const isGather = name.startsWith('flashinfer-pcie-gather');
  return {
    name,
    source: `FlashInfer: ${entry} of pcie_ipc_${isGather ? 'all_gather' : 'reduce_scatter'}.cuh, the rank as an argument`,
    sizes,
    harness: (bytes): Harness => {
      // Each rank sends so many packs to the other one.
      const packs = bytes / 16;
      const threads = threadsFor(packs);
      return harness({
        kernel: `flashinfer-pcie-${isGather ? 'all-gather' : 'reduce-scatter'}.ptx`,
        entry,
        ranks: RANKS,
        grid: Math.min(MOST_CTAS, partsOf(packs, threads)),
        block: threads,
        launches: 1,
        setup({ rank, alloc, peers, sum }) {
          const count = bytes / 2;
          const signals = alloc('signals', u32, EPOCH + 2, () => 0);
          const [first, second] = ['staging0', 'staging1'].map((of) => alloc(of, bf16, RANKS * count, () => 0));
          if (first === undefined || second === undefined) throw new RangeError('There are two halves.');
          const given = {
            signal_ptrs: peers(signals),
            staging0_ptrs: peers(first),
            staging1_ptrs: peers(second),
            packs,
            pack_stride: packs,
            max_blocks: MOST_CTAS,
            world_size: RANKS,
            flag_base_word: FLAGS,
            call_epoch_word: EPOCH,
            call_blocks_arrived_word: EPOCH + 1,
            rank,
          };
          if (isGather) {
            const input = alloc('input', bf16, count, (i) => inputAt(rank, i) + 1);
            const output = alloc('output', bf16, RANKS * count);
            return {
              args: [AllGatherParams({ ...given, input, output })],
              expect: () => output.equals((i) => inputAt(Math.floor(i / count), i % count) + 1),
            };
          }
          const input = alloc('input', bf16, RANKS * count, (i) => inputAt(rank, i) + 1);
          const output = alloc('output', bf16, count);
          return {
            args: [ReduceScatterParams({ ...given, input, output })],
            expect: () => output.equals((i) => sum((r) => inputAt(r, rank * count + i) + 1)),
          };
        },
      });
    },
  };
}

/** FlashInfer's AllGather and ReduceScatter over IPC. Sizes are those of a rank's part. */
export const pcieCollectives: readonly PublicKernel[] = [
  pcie('flashinfer-pcie-gather-push', 'flat_push_kernel', sizesUpTo(1 << 20)),
  pcie('flashinfer-pcie-gather-doubling', 'recursive_doubling_kernel', sizesUpTo(1 << 20)),
  pcie('flashinfer-pcie-scatter-cyclic', 'flat_cyclic_kernel', sizesUpTo(1 << 20)),
  pcie('flashinfer-pcie-scatter-one-pack', 'flat_one_pack_kernel', sizesUpTo(1 << 20)),
];
