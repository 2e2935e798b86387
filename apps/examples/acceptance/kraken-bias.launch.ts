import { bf16, harness, ptr, u32 } from '@nccl-ts/harness';

/** 2, 4 or 8: `world_size` of the compiled kernel. */
const ranks = 2;

/** Or 2, with a `BLOCK_SIZE` of 128 instead of 256. */
const shots = 1;

const grid = 2;
const count = 2 * 8 * 128;

/**
 * AllReduce with a bias of Kraken, by Triton with two warps and `rank` as an argument. The flags
 * are 0 again after each barrier. Triton adds two parameters, which are null here.
 */
export default harness({
  entry: `${shots === 1 ? 'one' : 'two'}_shot_all_reduce_bias_kernel`,
  ranks,
  grid,
  block: 64,
  dynamicShared: 4096,
  launches: 3,
  setup({ rank, ranks: all, nRanks, alloc, peer }) {
    const input = alloc('input', bf16, count, (i) => rank + (i % 8));
    const output = alloc('output', bf16, count);
    const buffer = alloc('buffer', bf16, count);
    const pads = alloc('signal_pads', u32, grid * nRanks, () => 0);
    const pointers = [buffer, pads].map((one) =>
      alloc(
        `${one.name}_ptrs`,
        ptr,
        all.map((r) => peer(one, r)),
      ),
    );
    const bias = alloc('bias', bf16, count, (i) => i % 4);
    return {
      args: [...pointers, input, bias, output, count, rank, null, null],
      between: (launch: number) => input.write((i) => (launch + 1) * (rank + (i % 8))),
      expect: () => output.equals((i) => 3 * all.reduce((sum, r) => sum + r + (i % 8), 0) + (i % 4)),
    };
  },
});
