import { bytes, harness, i32, ptr, struct, u64 } from '@nccl-ts/harness';

/** The 16 bytes of parameter 2: fields that the kernel reads have a type. */
const Param2 = struct({
  at0: ptr,
  gap8: bytes(8),
});

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
    const data0 = alloc('data0', i32, n, (i) => (i % 5) - 1);
    const data1 = alloc('data1', i32, n);
    const data2_0 = alloc('data2_0', u64, 32 + 3, (i) => (i < 32 ? 0 : 99));
    let sum = 0;
    const sums = Array.from({ length: n }, (_, i) => (sum += (i % 5) - 1));
    return {
      args: [
        data0,
        data1,
        Param2({
          at0: data2_0,
        }),
        0,
        new Uint8Array(1),
        new Uint8Array(1),
        n,
        1,
      ],
      expect: () => data1.equals(sums),
    };
  },
});
