import { check } from '@nccl-ts/checker';
import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { session as hybridSession } from '@nccl-ts/barrier';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, teamInnerFactor, teamLsa, teamWorld, window, type DevCommRequirements } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem } from '@nccl-ts/multimem';
import { WindowFlags } from '@nccl-ts/window';
import { describe, expect, inject, it } from 'vitest';

/*
 * A message says what was requested, what exists, and what to write. All engines give the same
 * message.
 */

const params = { comm: devComm, win: window, n: u32 };

interface Mistake {
  readonly name: string;
  readonly asks?: DevCommRequirements;
  readonly kernel: typeof lsaIndex;
  readonly ranks?: number;
  readonly n?: number;
  readonly block?: number;
  /** The flags of the window. */
  readonly flags?: WindowFlags;
  /** A part of the message. */
  readonly says: string;
}

const lsaIndex = kernel({ name: 'lsaIndex', use: { lsa }, params }, ({ lsa, coopCta }, { comm, n }) => {
  lsa.barrierSession(coopCta(), comm, n).sync(coopCta(), 'acq_rel');
});

const hybridIndex = kernel(
  { name: 'hybridIndex', use: { gin, hybridSession }, params },
  ({ gin, hybridSession, coopCta }, { comm, n }) => {
    hybridSession(coopCta(), gin.context(comm, 0), 'lsa', n).sync(coopCta(), 'acq_rel');
  },
);

const signalIndex = kernel({ name: 'signalIndex', use: { gin }, params }, ({ gin }, { comm, n }) => {
  gin.context(comm, 0).readSignal(n);
});

const contextIndex = kernel({ name: 'contextIndex', use: { gin }, params }, ({ gin }, { comm, n }) => {
  gin.context(comm, n).readSignal(0);
});

const postedSignal = kernel(
  { name: 'postedSignal', use: { gin, teamWorld }, params },
  ({ gin, teamWorld }, { comm, n }) => {
    gin.context(comm, 0).signal(teamWorld(comm), 0, gin.signalInc(n));
  },
);

const ginPeer = kernel({ name: 'ginPeer', use: { gin, teamWorld }, params }, ({ gin, teamWorld, i32 }, { comm, n }) => {
  gin.context(comm, 0).signal(teamWorld(comm), i32(n), gin.signalInc(0));
});

const farPut = kernel({ name: 'farPut', use: { gin, teamWorld }, params }, ({ gin, teamWorld }, { comm, win, n }) => {
  gin.context(comm, 0).put(teamWorld(comm), 0, win, n, win, 0, 4, gin.signalInc(0));
});

const oneThread = kernel({ name: 'oneThread', use: { gin }, params }, ({ gin, coopThread, threadIdx }, { comm }) => {
  if (threadIdx.x === 0) {
    gin.barrierSession(coopThread(), gin.context(comm, 0), 'world', 0).sync(coopThread(), 'acq_rel');
  }
});

const oddFactor = kernel(
  { name: 'oddFactor', use: { teamInnerFactor, teamLsa }, params },
  ({ teamInnerFactor, teamLsa, print, i32 }, { comm, n }) => {
    print(teamInnerFactor(teamLsa(comm), i32(n)).rank);
  },
);

const ordinary = kernel({ name: 'ordinary', use: { lsa, multimem }, params }, ({ lsa, multimem, u32 }, { win }) => {
  multimem.store(lsa.localPointer(win, u32, 0), u32(1));
});

const peer = kernel({ name: 'peer', use: { lsa }, params }, ({ lsa, threadIdx, i32, u32 }, { comm, win, n }) => {
  if (comm.lsaRank === 0) lsa.pointer(win, u32, 0, 0 - i32(n)).store(threadIdx.x, 1);
});

const eachPeer = kernel(
  { name: 'eachPeer', use: { lsa }, params },
  ({ lsa, threadIdx, i32, u32 }, { comm, win, n }) => {
    const of = comm.lsaRank - i32(threadIdx.x) - i32(n);
    lsa.pointer(win, u32, 0, of).store(8 * comm.lsaRank, 1);
  },
);

const below = kernel({ name: 'below', use: { lsa }, params }, ({ lsa, u32 }, { comm, win, n }) => {
  if (comm.lsaRank === 0) lsa.localPointer(win, u32, 0).store(n - 1, 1);
});

const behind = kernel({ name: 'behind', use: { lsa }, params }, ({ lsa, u32 }, { comm, win, n }) => {
  if (comm.lsaRank === 0) lsa.localPointer(win, u32, 8).store(n - 1, 1);
});

const signed = kernel({ name: 'signed', use: { lsa }, params }, ({ lsa, i32, u32 }, { comm, win, n }) => {
  if (comm.lsaRank === 0) lsa.localPointer(win, u32, 0).store(i32(n) - 1, 1);
});

const array = kernel({ name: 'array', params }, ({ sharedArray, u32 }, { n }) => {
  sharedArray(u32, 16).store(n, 1);
});

const divided = kernel({ name: 'divided', use: { lsa }, params }, ({ lsa, u32 }, { win, n }) => {
  lsa.localPointer(win, u32, 0).store(0, (7 + n) / n);
});

const element = kernel({ name: 'element', use: { lsa }, params }, ({ lsa, lane, vec, u32 }, { win, n }) => {
  lsa.localPointer(win, u32, 0).store(0, lane(vec(u32, 4)(1, 2, 3, 4), n));
});

const owed = kernel({ name: 'owed', params }, ({ requires, u64, f32 }, { n }) => {
  requires(n !== 7, 'n is {}, half {}, big {}, {}', n, f32(n) / 2, u64(n) - 8, n === 7);
});

const mistakes: readonly Mistake[] = [
  {
    name: 'the index of an LSA barrier',
    asks: { lsaBarrierCount: 1 },
    kernel: lsaIndex,
    n: 3,
    says: 'LSA barrier index 3, but the device communicator has 1: createDevComm({ lsaBarrierCount: 4 })',
  },
  {
    name: 'an index below 0',
    asks: { lsaBarrierCount: 1 },
    kernel: lsaIndex,
    n: 2 ** 32 - 1,
    says: 'LSA barrier index 4294967295 (-1 as u32), but the device communicator has 1',
  },
  {
    name: 'the index of a hybrid barrier',
    asks: { barrierCount: 2, ginConnectionType: 'full' },
    kernel: hybridIndex,
    n: 2,
    says: 'hybrid barrier index 2, but the device communicator has 2: createDevComm({ barrierCount: 3 })',
  },
  {
    name: 'a GIN signal that is read',
    asks: { ginConnectionType: 'full', ginSignalCount: 2 },
    kernel: signalIndex,
    n: 5,
    says: 'GIN signal 5, but the device communicator has 2: createDevComm({ ginSignalCount: 6 })',
  },
  {
    name: 'a GIN signal that is changed',
    asks: { ginConnectionType: 'full', ginSignalCount: 2 },
    kernel: postedSignal,
    n: 2,
    says: 'GIN signal 2, but the device communicator has 2: createDevComm({ ginSignalCount: 3 })',
  },
  {
    name: 'a GIN signal that is read, and belongs to a barrier',
    asks: { ginConnectionType: 'full', ginSignalCount: 2, worldGinBarrierCount: 4 },
    kernel: signalIndex,
    n: 2,
    says: 'GIN signal 2, but the device communicator has 2: createDevComm({ ginSignalCount: 3 })',
  },
  {
    name: 'a GIN signal that is changed, and belongs to a barrier',
    asks: { ginConnectionType: 'full', worldGinBarrierCount: 4 },
    kernel: postedSignal,
    n: 0,
    says: 'GIN signal 0, but the device communicator has 0: createDevComm({ ginSignalCount: 1 })',
  },
  {
    name: 'a GIN context',
    asks: { ginConnectionType: 'full', ginSignalCount: 2, ginContextCount: 1 },
    kernel: contextIndex,
    n: 9,
    says: 'GIN context 9, but the device communicator has 1: ask for more by createDevComm({ ginContextCount })',
  },
  {
    name: 'the peer of a GIN request',
    asks: { ginConnectionType: 'full', ginSignalCount: 2 },
    kernel: ginPeer,
    n: 2,
    says: 'peer 2 of a GIN request: the ranks of its team are 0 to 1; for the next rank of a ring, take (rank + 1) % size',
  },
  {
    name: 'a put past the end of its window',
    asks: { ginConnectionType: 'full', ginSignalCount: 2 },
    kernel: farPut,
    n: 1 << 20,
    says: 'put of 4 bytes out of bounds: byte 1048576 of window 0',
  },
  {
    name: 'too few threads at a GIN barrier',
    asks: { worldGinBarrierCount: 1, ginConnectionType: 'full' },
    kernel: oneThread,
    ranks: 3,
    says: 'a GIN barrier of 3 ranks takes 2 threads, and this group has 1',
  },
  {
    name: 'the size of an inner team',
    kernel: oddFactor,
    n: 3,
    says: 'innerSize 3 does not divide a team of 2 ranks',
  },
  {
    name: 'an ordinary pointer for multimem',
    asks: { lsaMultimem: true },
    kernel: ordinary,
    says: 'multimem.* got a null or an ordinary pointer',
  },
  {
    name: 'a pointer into a window for the network alone',
    kernel: peer,
    n: 0,
    flags: WindowFlags.GinOnly,
    says: 'a window for the network alone (WindowFlags.GinOnly), which has no pointers',
  },
  { name: 'a peer below 0', kernel: peer, n: 2, says: 'peer -2: LSA ranks are 0 to 1' },
  { name: 'peers that differ by thread', kernel: eachPeer, n: 1, block: 2, says: 'peer -1: LSA ranks are 0 to 1' },
  { name: 'an element below 0', kernel: below, says: 'element 4294967295 (-1 as u32)' },
  {
    name: 'an element below 0, counted from a byte',
    kernel: behind,
    says: 'element 4294967297: the result of an index below 0 that wrapped around in u32',
  },
  { name: 'a signed element below 0', kernel: signed, says: "rank 0's copy, element -1" },
  { name: 'an element of a shared array', kernel: array, n: 16, says: 'byte 64 of a shared array (64 bytes)' },
  { name: 'a division by zero', kernel: divided, says: 'integer division by zero: 7 divided by 0' },
  {
    name: 'an element of a vector',
    kernel: element,
    n: 4,
    says: 'there is no element 4: the vector has elements 0 to 3',
  },
  {
    name: 'what a device function of the user requires',
    kernel: owed,
    n: 7,
    says: 'n is 7, half 3.5, big 18446744073709551615 (-1 as u64), true',
  },
];

function run({
  asks = {},
  kernel: code,
  n = 0,
  block = 1,
  flags = WindowFlags.CollSymmetric,
}: Mistake): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm: Communicator) => {
      const win = await comm.allocWindow('u32', 16, { flags });
      const dev = await comm.createDevComm(asks);
      await comm.launch(code, { grid: 1, block }, { comm: dev, win, n });
      await comm.synchronize();
    });
  };
}

async function messageOf(mistake: Mistake, backend: SimBackend): Promise<string> {
  try {
    await run(mistake)(backend);
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
  }
  return 'no error';
}

describe('a message has the request, the valid values and a suggestion', () => {
  it.each(mistakes.filter((_, i) => (i % 6 === 0) !== inject('slow')))('$name', async (mistake) => {
    const options = { ranks: mistake.ranks ?? 2, multimem: true };
    for (const engine of ['js', 'wasm'] as const) {
      const said = await messageOf(mistake, sim({ ...options, engine }));
      expect({ engine, said }).toEqual({ engine, said: expect.stringContaining(mistake.says) as string });
    }
    const report = await check({ ...options, strategy: 'exhaustive' }, run(mistake));
    const said = report.findings.map(({ message }) => message).join('\n');
    expect({ engine: 'exhaustive', said }).toEqual({
      engine: 'exhaustive',
      said: expect.stringContaining(mistake.says) as string,
    });
  });
});
