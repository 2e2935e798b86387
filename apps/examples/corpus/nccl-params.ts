import { array, bytes, f32, i32, ptr, struct, u32, u64 } from '@nccl-ts/harness';
import type { RankSetup } from '@nccl-ts/harness';

/** ncclConnInfo. */
const Connection = struct({
  buffs: array(ptr, 3),
  handles: bytes(24, 8),
  tail: ptr,
  head: ptr,
  flags: bytes(32, 8),
  fifo: ptr,
  step: u64,
  net: bytes(40, 8),
});

/** ncclDevChannelPeer. */
const Peer = struct({ send: array(Connection, 2), receive: array(Connection, 2) });

/** ncclKernelCommAndChannels with one channel. */
const Comm = struct({
  rank: i32,
  nRanks: i32,
  nodes: bytes(8, 4),
  buffSizes: array(i32, 3),
  before: bytes(20, 4),
  abortFlag: ptr,
  between: bytes(40, 8),
  peers: ptr,
  prev: i32,
  next: i32,
  userRanks: ptr,
  rankToIndex: ptr,
  index: i32,
  padding: i32,
  depth: i32,
  up: i32,
  down: array(i32, 3),
  others: bytes(292, 4),
  fifoDone: ptr,
  counter: u64,
});

/** ncclDevKernelArgs with one batch of one ncclDevWorkColl, in the 4 KiB of the parameter. */
const Args = struct({
  comm: ptr,
  channelMask: u64,
  storage: u32,
  workMask: u32,
  workBuf: ptr,
  batch: u32,
  offsetBase: u32,
  offsets: u64,
  channels: u32,
  root: u32,
  padding: bytes(16, 4),
  receive: ptr,
  send: ptr,
  registered: bytes(40, 8),
  countLo: u64,
  counts: bytes(16, 8),
  grains: u64,
  redOpArg: u64,
  rest: bytes(3928, 8),
});

/**
 * The elements of the buffer, those of a chunk, and the lines of a step. Eight lines are as many
 * bytes as NVLink delivers at once.
 */
const [count, chunk, stepLines] = [32, 16, 8];

const zeros = (length: number) => new Uint8Array(length);

/** Where the rank is in the ring and in the tree; -1 for nobody. */
interface Place {
  readonly up: number;
  readonly down: readonly number[];
}

/** An AllReduce of NCCL by its protocol LL, on one channel. `funcId` is its number in the table. */
export function lowLatencyAllReduce(setup: RankSetup, funcId: number, { up, down }: Place) {
  const { rank, ranks, nRanks, alloc, peer } = setup;
  const send = alloc('send', f32, count, (i) => rank + i);
  const receive = alloc('receive', f32, count);
  const stepBytes = 8 * 16 * stepLines;
  const lines = alloc('lines', u32, (nRanks * stepBytes) / 4);
  const heads = alloc('heads', u64, nRanks);
  const abortFlag = alloc('abort', u32, 1);
  const userRanks = alloc('user ranks', i32, nRanks, (i) => (rank + i) % nRanks);
  const index = alloc('rank to index', i32, nRanks, (i) => (i - rank + nRanks) % nRanks);
  const connection = (at: number, from: number, headAt: number, headOf: number) => ({
    buffs: [peer(lines, at, from * stepBytes), null, null],
    handles: zeros(24),
    tail: null,
    head: peer(heads, headAt, 8 * headOf),
    flags: zeros(32),
    fifo: null,
    step: 0n,
    net: zeros(40),
  });
  // The lines are at the receiver, by sender, and the head is at the sender, by receiver.
  const peers = alloc(
    'connections',
    Peer,
    ranks.map((r) => {
      const [sends, receives] = [connection(r, rank, rank, r), connection(rank, r, r, rank)];
      return { send: [sends, sends], receive: [receives, receives] };
    }),
  );
  const table = alloc(
    'peers',
    ptr,
    ranks.map((r) => peer(peers, rank, Peer.bytes * r)),
  );
  const comm = alloc('comm', Comm, [
    {
      rank,
      nRanks,
      nodes: zeros(8),
      buffSizes: [stepBytes, 0, 0],
      before: zeros(20),
      abortFlag,
      between: zeros(40),
      peers: table,
      prev: (rank + nRanks - 1) % nRanks,
      next: (rank + 1) % nRanks,
      userRanks,
      rankToIndex: index,
      index: rank,
      padding: 0,
      depth: nRanks,
      up,
      down: [...down, -1, -1, -1].slice(0, 3),
      others: zeros(292),
      fifoDone: null,
      counter: 0n,
    },
  ]);
  const args = Args({
    comm,
    channelMask: 1n,
    storage: 0,
    workMask: 0,
    workBuf: null,
    batch: (1 << 15) | (funcId << 17),
    offsetBase: 48,
    offsets: 1n,
    channels: 3 << 16,
    root: 0,
    padding: zeros(16),
    receive,
    send,
    registered: zeros(40),
    countLo: BigInt(count),
    counts: zeros(16),
    grains: BigInt((4 * chunk) / 16),
    redOpArg: 0n,
    rest: zeros(3928),
  });
  return {
    args: [args],
    expect: () => receive.equals((i) => ranks.reduce((sum, r) => sum + r + i, 0)),
  };
}
