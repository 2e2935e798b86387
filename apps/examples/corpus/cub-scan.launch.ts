import { harness, i32, struct, ptr, u64 } from '@nccl-ts/harness';

const TileState = struct({ descriptors: ptr, unused: u64 });

/** DeviceScanKernel of CUB: an inclusive sum of 32 bit integers by decoupled look-back. */
export default harness({
  kernel: 'cub-scan.ptx',
  entry: 'DeviceScanKernel',
  ranks: 1,
  grid: 3,
  block: 128,
  launches: 1,
  local: true,
  setup({ alloc }) {
    const n = 3 * 3072;
    const input = alloc('input', i32, n, (i) => (i % 5) - 1);
    const output = alloc('output', i32, n);
    // 32 tiles before the first are out of bounds (0), the others are invalid (99).
    const states = alloc('tile_states', u64, 32 + 3, (i) => (i < 32 ? 0 : 99));
    let sum = 0;
    const sums = Array.from({ length: n }, (_, i) => (sum += (i % 5) - 1));
    const none = new Uint8Array(1);
    return {
      args: [input, output, TileState({ descriptors: states, unused: 0 }), 0, none, none, n, 1],
      expect: () => output.equals(sums),
    };
  },
});
