import { devComm, teamWorld, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * A program of a few requests, and all outcomes that it may have. Every rank has `src`, whose word
 * 0 is 1 at rank 0, and `x`, which is all zeros. The last rank writes the values that it reads to
 * `found`.
 */
export interface GinLitmus {
  readonly id: string;
  readonly what: string;
  readonly kernel: Kernel<{ comm: DevCommArg; src: WindowArg; x: WindowArg; found: WindowArg }>;
  readonly ranks: number;
  /** @default 1 */
  readonly lsaSize?: number;
  readonly block?: number;
  /** All allowed outcomes, and no others: the words of `found`, joined. */
  readonly allowed: readonly string[];
  /** True if the number of orders is very large. */
  readonly long?: boolean;
}

const params = { comm: devComm, src: window, x: window, found: window };
const use = { gin, lsa, teamWorld };

const gn1 = kernel(
  { name: 'gn1', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn1Relaxed = kernel(
  { name: 'gn1Relaxed', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn1Fenced = kernel(
  { name: 'gn1Fenced', use, params },
  ({ gin, lsa, teamWorld, coopThread, fence, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
      fence('acquire', 'system');
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn2 = kernel(
  { name: 'gn2', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      net.put(teamWorld(comm), 1, x, 4, src, 0, 4, gin.weakSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1);
      const mine = lsa.localPointer(x, u32, 0);
      const out = lsa.localPointer(found, u32, 0);
      out.store(0, mine.load(0));
      out.store(1, mine.load(1));
    }
  },
);

const gn3 = kernel(
  { name: 'gn3', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const first = gin.context(comm, 0);
    const second = gin.context(comm, 1);
    if (comm.rank === 0) {
      first.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      second.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
    } else {
      second.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn4 = kernel(
  { name: 'gn4', use, params },
  ({ gin, lsa, teamWorld, coopThread, waitUntil, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
      net.flush(coopThread());
      lsa.peerPointer(x, u32, 0, 1).store(1, 1, 'release', 'system');
    } else {
      const mine = lsa.localPointer(x, u32, 0);
      waitUntil(() => mine.load(1, 'acquire', 'system') === 1);
      lsa.localPointer(found, u32, 0).store(0, mine.load(0));
    }
  },
);

const gn5 = kernel(
  { name: 'gn5', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.weakSignalInc(0));
      lsa.localPointer(src, u32, 0).store(0, 2);
    } else {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn5Flushed = kernel(
  { name: 'gn5Flushed', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.weakSignalInc(0));
      net.flush(coopThread());
      lsa.localPointer(src, u32, 0).store(0, 2);
    } else {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn5Counted = kernel(
  { name: 'gn5Counted', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.weakSignalInc(0), { localAction: gin.weakCounterInc(0) });
      net.waitCounter(coopThread(), 0, 1);
      lsa.localPointer(src, u32, 0).store(0, 2);
    } else {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn6 = kernel(
  { name: 'gn6', use, params },
  ({ gin, lsa, teamWorld, coopThread, threadIdx, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      if (threadIdx.x === 0) net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.weakSignalInc(0));
      if (threadIdx.x === 1) lsa.localPointer(src, u32, 0).store(0, 2);
    } else if (threadIdx.x === 0) {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn6Met = kernel(
  { name: 'gn6Met', use, params },
  ({ gin, lsa, teamWorld, coopThread, coopCta, threadIdx, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      if (threadIdx.x === 1) lsa.localPointer(src, u32, 0).store(0, 2);
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.weakSignalInc(0), { coop: coopCta() });
    } else if (threadIdx.x === 0) {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn7 = kernel(
  { name: 'gn7', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.strongSignalInc(0));
    } else if (comm.rank === 1) {
      net.waitSignal(coopThread(), 0, 1);
      net.signal(teamWorld(comm), 2, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.peerPointer(x, u32, 0, 1).load(0));
    }
  },
);

const gn7Relaxed = kernel(
  { name: 'gn7Relaxed', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.strongSignalInc(0));
    } else if (comm.rank === 1) {
      net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
      net.signal(teamWorld(comm), 2, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(found, u32, 0).store(0, lsa.peerPointer(x, u32, 0, 1).load(0));
    }
  },
);

const gn7Get = kernel(
  { name: 'gn7Get', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, x, 0, src, 0, 4, gin.strongSignalInc(0));
    } else if (comm.rank === 1) {
      net.waitSignal(coopThread(), 0, 1);
      net.signal(teamWorld(comm), 2, gin.strongSignalInc(0));
    } else {
      net.waitSignal(coopThread(), 0, 1);
      net.get(teamWorld(comm), 1, x, 0, x, 4, 4);
      net.flush(coopThread());
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(1));
    }
  },
);

const gn8 = kernel({ name: 'gn8', use, params }, ({ gin, lsa, teamWorld, u32 }, { comm, src, x, found }) => {
  const net = gin.context(comm, 0);
  if (comm.rank === 1) {
    net.get(teamWorld(comm), 0, src, 0, x, 0, 4);
    lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
  }
});

const gn8Flushed = kernel(
  { name: 'gn8Flushed', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 1) {
      net.get(teamWorld(comm), 0, src, 0, x, 0, 4);
      net.flush(coopThread());
      lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
    }
  },
);

const gn9None = kernel(
  { name: 'gn9None', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    const bar = gin.barrierSession(coopThread(), net, 'world', 0);
    if (comm.rank === 0) net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
    bar.sync(coopThread(), 'acq_rel', 'none');
    if (comm.rank === 1) lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
  },
);

const gn9Put = kernel(
  { name: 'gn9Put', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, x, found }) => {
    const net = gin.context(comm, 0);
    const bar = gin.barrierSession(coopThread(), net, 'world', 0);
    if (comm.rank === 0) net.put(teamWorld(comm), 1, x, 0, src, 0, 4);
    bar.sync(coopThread(), 'acq_rel', 'put');
    if (comm.rank === 1) lsa.localPointer(found, u32, 0).store(0, lsa.localPointer(x, u32, 0).load(0));
  },
);

export const ginLitmus: readonly GinLitmus[] = [
  { id: 'GN1', what: 'put; strong signal; the wait acquires', kernel: gn1, ranks: 2, allowed: ['1'] },
  { id: 'GN1', what: '... the wait is relaxed', kernel: gn1Relaxed, ranks: 2, allowed: ['0', '1'] },
  { id: 'GN1', what: '... a relaxed wait and a fence', kernel: gn1Fenced, ranks: 2, allowed: ['1'] },
  { id: 'GN2', what: 'put x; put y with a weak signal: x and y', kernel: gn2, ranks: 2, allowed: ['0,1', '1,1'] },
  { id: 'GN3', what: 'put on one context, strong signal on another', kernel: gn3, ranks: 2, allowed: ['0', '1'] },
  { id: 'GN4', what: 'put; flush; a flag by LSA', kernel: gn4, ranks: 2, lsaSize: 2, allowed: ['0', '1'] },
  { id: 'GN5', what: 'put; the source is overwritten', kernel: gn5, ranks: 2, allowed: ['1', '2'] },
  { id: 'GN5', what: '... after a flush', kernel: gn5Flushed, ranks: 2, allowed: ['1'] },
  { id: 'GN5', what: '... after its counter', kernel: gn5Counted, ranks: 2, allowed: ['1'] },
  { id: 'GN6', what: 'another thread writes the source', kernel: gn6, ranks: 2, block: 2, allowed: ['1', '2'] },
  { id: 'GN6', what: '... and the put is the whole CTA’s', kernel: gn6Met, ranks: 2, block: 2, allowed: ['2'] },
  {
    id: 'GN7',
    what: 'put and signal A; A signals B; B reads A’s data',
    kernel: gn7,
    ranks: 3,
    lsaSize: 3,
    allowed: ['1'],
  },
  { id: 'GN7', what: '... A’s wait is relaxed', kernel: gn7Relaxed, ranks: 3, lsaSize: 3, allowed: ['0', '1'] },
  { id: 'GN7', what: '... B gets A’s data', kernel: gn7Get, ranks: 3, allowed: ['1'] },
  { id: 'GN8', what: 'get; read before the flush', kernel: gn8, ranks: 2, allowed: ['0', '1'] },
  { id: 'GN8', what: '... after the flush', kernel: gn8Flushed, ranks: 2, allowed: ['1'] },
  { id: 'GN9', what: 'put; barrier with no fence', kernel: gn9None, ranks: 2, allowed: ['0', '1'] },
  { id: 'GN9', what: '... with a fence of puts', kernel: gn9Put, ranks: 2, allowed: ['1'], long: true },
];
