import { check, type CheckOptions } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World, type Communicator, type DevComm, type Window } from '@nccl-ts/communicator';
import { devComm, teamWorld, window, type DevCommRequirements } from '@nccl-ts/devcomm';
import type { FindingKind } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/*
 * Programs that the checker once judged wrongly: as clean although they race, or without an answer
 * in reasonable time. Each has one verdict, which both the default and the exhaustive check must
 * give.
 */

/** With NCCLTS_EVERY_CASE set, checks go on for longer after their first finding. */
const every = inject('everyCase');

/** The quick tests leave these out. */
const long = [
  ...['polite', 'clock', 'add'].map((how) => `a loop that never ends: ${how}`),
  ...[3, 4, 8].map((ranks) => `stores between two barriers of ${ranks} ranks`),
];

const params = { comm: devComm, inbox: window, out: window };

interface Prepared {
  readonly comm: DevComm;
  readonly inbox: Window<'u32'>;
  readonly out: Window<'u32'>;
}

interface Program {
  readonly name: string;
  readonly machine: Pick<CheckOptions, 'ranks' | 'lsaSize' | 'fuel'>;
  readonly asks?: DevCommRequirements;
  readonly body: (comm: Communicator, prepared: Prepared) => Promise<void>;
  /** `clean`, or the kind of the worst finding. */
  readonly expects: 'clean' | FindingKind;
}

function run({ asks = {}, body }: Program): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const inbox = await comm.allocWindow('u32', 16);
      const out = await comm.allocWindow('u32', 16);
      for (const win of [inbox, out]) await win.write(new Uint32Array(16));
      const dev = await comm.createDevComm(asks);
      await body(comm, { comm: dev, inbox, out });
      await comm.synchronize();
    });
  };
}

const one = { grid: 1, block: 1 } as const;
const two = { grid: 2, block: 1 } as const;

const both = kernel({ name: 'both', use: { lsa }, params }, ({ lsa, coopCta, u32 }, { comm, inbox }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
  bar.sync(coopCta(), 'acq_rel');
  lsa.localPointer(inbox, u32, 0).store(0, 1);
  lsa.pointer(inbox, u32, 0, (comm.lsaRank + 1) % comm.lsaSize).store(0, 2);
  bar.sync(coopCta(), 'acq_rel');
});

const tell = kernel({ name: 'tell', use: { lsa }, params }, ({ lsa, u32 }, { comm, inbox }) => {
  if (comm.lsaRank === 1) lsa.pointer(inbox, u32, 0, 0).store(0, 1);
});

const fencedStores = kernel(
  { name: 'fencedStores', use: { lsa }, params },
  ({ lsa, blockIdx, fence, u32 }, { inbox }) => {
    const words = lsa.localPointer(inbox, u32, 0);
    if (blockIdx.x === 1) {
      fence('seq_cst', 'system');
      words.store(2, 3);
    } else {
      words.store(2, 1);
      fence('seq_cst', 'system');
    }
  },
);

const sequentialAccesses = kernel(
  { name: 'sequentialAccesses', use: { lsa }, params },
  ({ lsa, blockIdx, u32 }, { inbox, out }) => {
    const words = lsa.localPointer(inbox, u32, 0);
    if (blockIdx.x === 1) {
      words.store(0, 2, 'seq_cst', 'system');
      words.store(2, 3);
    } else {
      words.store(2, 1, 'relaxed', 'system');
      lsa.localPointer(out, u32, 0).store(0, words.load(1, 'seq_cst', 'system'));
    }
  },
);

const fencedRead = kernel({ name: 'fencedRead', use: { lsa }, params }, ({ lsa, blockIdx, fence, u32 }, { inbox }) => {
  const words = lsa.localPointer(inbox, u32, 0);
  if (blockIdx.x === 1) {
    fence('seq_cst', 'system');
    words.store(4, words.load(2));
  } else {
    words.store(2, 1);
    fence('seq_cst', 'system');
  }
});

const useNetwork = { gin, teamWorld };
const network = { ginConnectionType: 'full', ginContextCount: 1, ginSignalCount: 1, ginCounterCount: 1 } as const;

const signalNobodyAwaits = kernel(
  { name: 'signalNobodyAwaits', use: useNetwork, params },
  ({ gin, teamWorld }, { comm }) => {
    gin.context(comm, 0).signal(teamWorld(comm), 0, gin.strongSignalInc(0));
  },
);

const flushBesidePut = kernel(
  { name: 'flushBesidePut', use: useNetwork, params },
  ({ gin, teamWorld, blockIdx, coopThread }, { comm, inbox }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 1 && blockIdx.x === 0) net.flush(coopThread());
    if (comm.rank === 1 && blockIdx.x === 1) net.put(teamWorld(comm), 0, inbox, 8, inbox, 0, 4);
  },
);

const selfPut = kernel(
  { name: 'selfPut', use: useNetwork, params },
  ({ gin, teamWorld, coopThread }, { comm, inbox }) => {
    const net = gin.context(comm, 0);
    net.put(teamWorld(comm), 0, inbox, 0, inbox, 0, 4);
    net.flush(coopThread());
  },
);

const adds = (how: 'plain' | 'relaxed' | 'atomic') =>
  kernel({ name: `adds_${how}`, use: { lsa, HOW: how }, params }, ({ lsa, HOW, u32 }, { inbox }) => {
    const state = lsa.localPointer(inbox, u32, 0);
    if (HOW === 'plain') state.store(0, state.load(0) + 1);
    if (HOW === 'relaxed') state.store(0, state.load(0, 'relaxed') + 1, 'relaxed');
    if (HOW === 'atomic') state.atomicAdd(0, 1, 'relaxed');
  });
const look = kernel({ name: 'look', use: { lsa }, params }, ({ lsa, assert, u32 }, { inbox }) => {
  assert(lsa.localPointer(inbox, u32, 0).load(0) === 2, 'both are counted');
});

const hand = (sends: boolean, scope: 'device' | 'system') =>
  kernel(
    { name: `hand_${sends}_${scope}`, use: { lsa, SENDS: sends, SCOPE: scope }, params },
    ({ lsa, SENDS, SCOPE, waitUntil, u32 }, { inbox, out }) => {
      const words = lsa.localPointer(inbox, u32, 0);
      if (SENDS) {
        words.store(1, 42);
        words.store(0, 1, 'release', SCOPE);
      } else {
        waitUntil(() => words.load(0, 'acquire', SCOPE) === 1);
        lsa.localPointer(out, u32, 0).store(0, words.load(1));
      }
    },
  );

const produce = kernel({ name: 'produce', use: { lsa }, params }, ({ lsa, threadIdx, u32 }, { inbox }) => {
  lsa.localPointer(inbox, u32, 0)[threadIdx.x] = 7;
});
const consume = (waits: boolean) =>
  kernel(
    { name: `consume_${waits}`, use: { lsa, WAITS: waits }, params },
    ({ lsa, WAITS, threadIdx, gridDependencySync, u32 }, { inbox, out }) => {
      if (WAITS) gridDependencySync();
      lsa.localPointer(out, u32, 0)[threadIdx.x] = lsa.localPointer(inbox, u32, 0).load(threadIdx.x);
    },
  );

const spins = (how: 'polite' | 'cas' | 'add' | 'clock') =>
  kernel({ name: `spins_${how}`, use: { lsa, HOW: how }, params }, ({ lsa, HOW, clock, u32 }, { comm, inbox, out }) => {
    const mine = lsa.localPointer(inbox, u32, 0);
    const far = lsa.pointer(inbox, u32, 0, 1 - comm.lsaRank);
    if (HOW === 'polite') {
      let entered = false;
      while (!entered) {
        mine.store(0, 1, 'seq_cst');
        if (far.load(0, 'seq_cst') === 0) entered = true;
        else mine.store(0, 0, 'seq_cst');
      }
      lsa.localPointer(out, u32, 0).store(0, 1);
    } else if (comm.lsaRank === 0) {
      if (HOW === 'cas') while (mine.atomicCas(0, 5, 5, 'acquire') !== 5);
      if (HOW === 'add') while (mine.atomicAdd(0, 0, 'acquire') !== 5);
      if (HOW === 'clock') {
        let seen = mine.load(0, 'acquire');
        while (seen !== 5) {
          const until = clock() + 10;
          while (clock() < until);
          seen = mine.load(0, 'acquire');
        }
      }
    }
  });

/** Two concurrent launches on their own streams, and one that reads their results. */
function onTwoStreams(how: Parameters<typeof adds>[0]): Program['body'] {
  const work = adds(how);
  return async (comm, prepared) => {
    const streams = [await comm.createStream(), await comm.createStream()];
    for (const stream of streams) await comm.launch(work, { ...one, stream }, prepared);
    for (const stream of streams) await comm.synchronize(stream);
    await comm.launch(look, one, prepared);
  };
}

function inTwoDomains(scope: 'device' | 'system'): Program['body'] {
  const [sender, receiver] = [hand(true, scope), hand(false, scope)];
  return async (comm, prepared) => {
    const [first, second] = [await comm.createStream(), await comm.createStream()];
    await comm.launch(sender, { ...one, stream: first, attributes: { memSyncDomain: 'remote' } }, prepared);
    await comm.launch(receiver, { ...one, stream: second }, prepared);
  };
}

function launched(code: typeof both, config: { readonly grid: number; readonly block: number } = one): Program['body'] {
  return async (comm, prepared) => {
    await comm.launch(code, config, prepared);
  };
}

function early(waits: boolean, isEarly: boolean): Program['body'] {
  const code = consume(waits);
  return async (comm, prepared) => {
    await comm.launch(produce, { grid: 1, block: 4 }, prepared);
    const attributes = { programmaticStreamSerialization: isEarly };
    await comm.launch(code, { grid: 1, block: 4, attributes }, prepared);
  };
}

const hostWrites = (meets: boolean): Program['body'] => {
  return async (comm, prepared) => {
    if (comm.rank === 0) await prepared.inbox.write(new Uint32Array(16));
    if (meets) await comm.createDevComm({});
    await comm.launch(tell, one, prepared);
  };
};

const ranks1 = { ranks: 1 };
const ranks2 = { ranks: 2 };
const programs: readonly Program[] = [
  ...[2, 3, 4, 8].map((ranks) => ({
    name: `stores between two barriers of ${ranks} ranks`,
    machine: { ranks },
    asks: { lsaBarrierCount: 1 },
    body: launched(both),
    expects: 'race' as const,
  })),
  { name: 'a host beside the kernel of a peer', machine: ranks2, body: hostWrites(false), expects: 'race' },
  { name: 'a host that meets the others before', machine: ranks2, body: hostWrites(true), expects: 'clean' },
  { name: 'stores beside sequential fences', machine: ranks1, body: launched(fencedStores, two), expects: 'race' },
  {
    name: 'stores beside sequential accesses',
    machine: ranks1,
    body: launched(sequentialAccesses, two),
    expects: 'race',
  },
  { name: 'a load beside sequential fences', machine: ranks1, body: launched(fencedRead, two), expects: 'race' },
  {
    name: 'a signal that nobody waits for',
    machine: ranks1,
    asks: { ginConnectionType: 'full', ginSignalCount: 1 },
    body: launched(signalNobodyAwaits),
    expects: 'leftover',
  },
  {
    name: 'a flush beside a put of another CTA',
    machine: { ranks: 2, lsaSize: 1 },
    asks: network,
    body: launched(flushBesidePut, two),
    expects: 'leftover',
  },
  { name: 'a put onto itself', machine: ranks1, asks: network, body: launched(selfPut), expects: 'race' },
  { name: 'plain additions on two streams', machine: ranks1, body: onTwoStreams('plain'), expects: 'race' },
  { name: 'relaxed additions on two streams', machine: ranks1, body: onTwoStreams('relaxed'), expects: 'fault' },
  { name: 'atomic additions on two streams', machine: ranks1, body: onTwoStreams('atomic'), expects: 'clean' },
  { name: 'an early launch that waits for nothing', machine: ranks1, body: early(false, true), expects: 'race' },
  { name: 'an early launch that waits', machine: ranks1, body: early(true, true), expects: 'clean' },
  { name: 'a launch that is not early', machine: ranks1, body: early(false, false), expects: 'clean' },
  { name: 'device scope between two domains', machine: ranks1, body: inTwoDomains('device'), expects: 'race' },
  { name: 'system scope between two domains', machine: ranks1, body: inTwoDomains('system'), expects: 'clean' },
  ...(['polite', 'cas', 'add', 'clock'] as const).map((how) => ({
    name: `a loop that never ends: ${how}`,
    machine: { ranks: 2, fuel: every ? 1_000_000 : 100_000 },
    body: launched(spins(how)),
    expects: 'deadlock' as const,
  })),
];

describe.each([
  ['by default', {}],
  ['in exhaustive mode', { strategy: 'exhaustive', bound: every ? 200 : 40 }],
] as const)('%s', (_, how) => {
  it.each(programs.filter(({ name }) => long.includes(name) === inject('slow')))('$name: $expects', async (program) => {
    const report = await check({ ...program.machine, ...how }, run(program));
    const [worst] = report.findings.filter(({ severity }) => severity === 'error');
    expect(worst?.kind ?? report.verdict).toBe(program.expects);
  });
});
