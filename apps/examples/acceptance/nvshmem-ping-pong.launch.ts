import { harness, i32, u64 } from '@nccl-ts/harness';

/** `ping_pong_warp`, `ping_pong_block`, or `ping_pong_atomic` for that of the other file. */
const entry: string = 'ping_pong';

const threads = entry === 'ping_pong_block' ? 64 : entry === 'ping_pong_warp' ? 32 : 1;

/**
 * ping_pong of NVSHMEM's shmem_put_signal_ping_pong_latency and shmem_put_atomic_ping_pong_latency,
 * compiled against the stand-in headers.
 */
export default harness({
  entry: new RegExp(`^${entry}$`),
  ranks: 2,
  grid: 1,
  block: threads,
  launches: 1,
  setup({ rank, alloc }) {
    const [length, rounds] = [12, 4];
    const data = alloc('data', i32, length, (i) => i);
    const flag = alloc('flag', u64, 1, () => 0);
    return {
      args: [data, flag, length, rank, rounds],
      expect: () => [data.equals((i) => i), flag.equals(() => rounds)],
    };
  },
});
