import { array, bf16, f32, harness, i32, ptr, struct, u32 } from '@nccl-ts/harness';

/** The barrier has room for 8 ranks, and needs them. */
const ranks = 8;

/** Or `Tree`, which reduces each rank's part and gathers the parts. */
const how: string = 'Flat';

const grid = 2;
const Mailbox = struct({ blocks: i32, flags: ptr });
const Barrier = struct({ blocks: i32, rank: i32, mailboxes: array(Mailbox, ranks) });

/**
 * torchcomms' AllReduce over IPC buffers. The flat one copies the input itself; the host puts it
 * into the buffer of the other.
 */
export default harness({
  entry: `ddaAllReduce${how}Ipc`,
  ranks,
  grid,
  block: 32,
  launches: 3,
  setup({ rank, ranks: all, alloc, peer }) {
    const isFlat = how === 'Flat';
    const type = isFlat ? f32 : bf16;
    const count = ranks * 8 * 10;
    const input = alloc('sendbuff', type, count, (i) => rank + (i % 8));
    const buffer = alloc('ipcbuff', type, count, (i) => rank + (i % 8));
    const output = alloc('recvbuff', type, count);
    const flags = alloc('flags', u32, grid * ranks, () => 0);
    const barrier = Barrier({
      blocks: grid,
      rank,
      mailboxes: all.map((r) => ({ blocks: grid, flags: peer(flags, r) })),
    });
    const buffers = alloc(
      'ipcbuffs',
      ptr,
      all.map((r) => peer(buffer, r)),
    );
    const accumulated = isFlat ? null : alloc('acc', bf16, count, () => 1);
    return {
      args: [buffers, output, count, input, rank, barrier, accumulated],
      between: (launch: number) => (isFlat ? input : buffer).write((i) => (launch + 1) * (rank + (i % 8))),
      expect: () => output.equals((i) => 3 * all.reduce((sum, r) => sum + r + (i % 8), 0) + (isFlat ? 0 : 1)),
    };
  },
});
