import { barrier } from '@nccl-ts/barrier';
import type { Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectThat, expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { createHybridBarriers, hybridRequires } from './create-hybrid-barriers.ts';

type Tag = 'world' | 'lsa' | 'rail';

/** Each CTA has its own barrier and results. */
const ctas = 2;
const block = 16;

const timed = (TAG: Tag, FENCE: GinFence) =>
  kernel(
    {
      name: `hybridTimed_${TAG}_${FENCE}`,
      use: { barrier, gin, lsa, TAG, FENCE },
      params: { comm: devComm, win: window, cycles: u64, rounds: u32 },
    },
    ({ barrier, gin, lsa, TAG, FENCE, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, win, cycles, rounds }) => {
      const bar = barrier.session(coopCta(), gin.context(comm, 0), TAG, blockIdx.x);
      const out = lsa.localPointer(win, u32, 0).offset(blockIdx.x * rounds * blockDim.x);
      for (let round = u32(0); round < rounds; round++) {
        out.store(round * blockDim.x + threadIdx.x, bar.sync(coopCta(), 'acq_rel', FENCE, cycles));
      }
    },
  );

type Timed = ReturnType<typeof timed>;
type TimeoutVariant = readonly [tag: Tag, fence: GinFence, kernel: Timed];

const kinds = {
  worldPut: ['world', 'put', timed('world', 'put')],
  world: ['world', 'none', timed('world', 'none')],
  lsa: ['lsa', 'putGet', timed('lsa', 'putGet')],
  rail: ['rail', 'get', timed('rail', 'get')],
} as const satisfies Readonly<Record<string, TimeoutVariant>>;

/** The time limit in cycles: short, or longer than any delay. */
const patience = { little: 20_000n, plenty: 2n ** 40n } as const;

const requires = { ...hybridRequires, divergentWaits: true } as const;
const kernels = Object.values(kinds).map(([, , launch]) => launch);

export const inTime: Case<'hybrid-barriers/timeout/in-time'> = defineCase({
  id: 'hybrid-barriers/timeout/in-time',
  mirrors: 'ncclBarrierSession::sync with timeoutCycles',
  requires,
  ranks: [1, 4, 8],
  lsaSizes: [1, 2, 4],
  kernels,
  run: async ({ run }) => {
    await run(async (comm) => {
      const rounds = 3;
      const results = ctas * rounds * block;
      const { comm: dev } = await createHybridBarriers(comm, ctas);
      const win = await comm.allocWindow('u32', results);
      for (const [tag, fence, launch] of Object.values(kinds)) {
        await win.write(new Uint32Array(results).fill(99));
        await comm.launch(launch, { grid: ctas, block }, { comm: dev, win, cycles: patience.plenty, rounds });
        const zeros = count(results).map(() => 0);
        expectValues(`${tag}, ${fence}, rank ${comm.rank}`, await win.read(), zeros);
        await meet(comm);
      }
    });
  },
});

/**
 * Runs a rank's part of a barrier that some ranks never reach. Returns for each CTA if any of its
 * threads timed out. After a time-out the barrier's epochs are undefined, so each attempt has its
 * own. Every rank calls it, and a missing rank passes no `cycles`.
 */
async function attempt(comm: Communicator, kernel: Timed, cycles: bigint | undefined): Promise<readonly boolean[]> {
  const { comm: dev } = await createHybridBarriers(comm, ctas);
  const win = await comm.allocWindow('u32', ctas * block);
  if (cycles !== undefined) await comm.launch(kernel, { grid: ctas, block }, { comm: dev, win, cycles, rounds: 1 });
  const after = await win.read();
  const others = after.filter((code) => code !== 8 && code !== 0);
  expectValues('other results', others, []);
  return count(ctas).map((cta) => after.subarray(cta * block, (cta + 1) * block).includes(8));
}

/**
 * Some ranks never arrive. Exactly the ranks that wait for one of them time out. Each kind is a
 * separate case, because only the first attempt has certain results. Threads that timed out late
 * arrive late at the next attempt.
 */
function missing<const Id extends string>(id: Id, [tag, fence, launch]: TimeoutVariant): Case<Id> {
  return defineCase({
    id,
    results: 'order',
    mirrors: 'ncclTimeout of a hybrid barrier',
    requires,
    ranks: [4, 8],
    lsaSizes: [1, 2, 4],
    kernels: [launch],
    run: async ({ run, shape: { ranks, lsaSize } }) => {
      await run(async (comm) => {
        const last = ranks - 1;
        const isNear = Math.floor(comm.rank / lsaSize) === Math.floor(last / lsaSize);
        // The whole last domain is missing from barriers across domains. If only one of its ranks
        // were missing, the others of the domain would arrive late on their rails. Ranks that do
        // not wait for the missing one might then time out too.
        const isMissing = tag !== 'lsa' && lsaSize < ranks ? isNear : comm.rank === last;
        // Every rail has a rank of the last domain. In a world of one domain a rail has no other
        // rank.
        const waits = { world: true, lsa: isNear, rail: lsaSize < ranks }[tag];
        const expected = count(ctas).map(() => waits && !isMissing);
        const what = `${tag}, ${fence}, rank ${comm.rank}: time-outs in each CTA`;
        // A wait that involves no missing peer still waits for launches of others.
        const cycles = waits ? patience.little : patience.plenty;
        expectValues(what, await attempt(comm, launch, isMissing ? undefined : cycles), expected);
        await meet(comm);
      });
    },
  });
}

export const worldPutMissing: Case<'hybrid-barriers/timeout/rank-missing/world-put'> = missing(
  'hybrid-barriers/timeout/rank-missing/world-put',
  kinds.worldPut,
);
export const worldMissing: Case<'hybrid-barriers/timeout/rank-missing/world'> = missing(
  'hybrid-barriers/timeout/rank-missing/world',
  kinds.world,
);
export const lsaMissing: Case<'hybrid-barriers/timeout/rank-missing/lsa'> = missing(
  'hybrid-barriers/timeout/rank-missing/lsa',
  kinds.lsa,
);
export const railMissing: Case<'hybrid-barriers/timeout/rank-missing/rail'> = missing(
  'hybrid-barriers/timeout/rank-missing/rail',
  kinds.rail,
);

export const peerMissing: Case<'hybrid-barriers/timeout/peer-missing'> = defineCase({
  id: 'hybrid-barriers/timeout/peer-missing',
  results: 'order',
  mirrors: 'ncclTimeout of a hybrid barrier, whose part across domains runs even if the part within a domain timed out',
  requires,
  ranks: [4, 8],
  lsaSizes: [2, 4],
  kernels: [kinds.worldPut[2], kinds.world[2]],
  run: async ({ run, shape: { ranks, lsaSize } }) => {
    await run(async (comm) => {
      const last = ranks - 1;
      const isNear = Math.floor(comm.rank / lsaSize) === Math.floor(last / lsaSize);
      const isOnRail = comm.rank % lsaSize === last % lsaSize;
      for (const [, fence, launch] of [kinds.worldPut, kinds.world]) {
        const isMissing = comm.rank === last;
        const waits = fence === 'put' || isNear || isOnRail;
        const gaveUp = await attempt(comm, launch, isMissing ? undefined : patience.little);
        // Other ranks may be late too, because they wait for late ranks.
        const holds = isMissing ? !gaveUp.includes(true) : !waits || !gaveUp.includes(false);
        expectThat(holds, `${fence}, rank ${comm.rank}: time-outs of CTAs: ${gaveUp.join(', ')}.`);
        await meet(comm);
      }
    });
  },
});
