import { check, type CheckOptions } from '@nccl-ts/checker';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window, type DevCommRequirements } from '@nccl-ts/devcomm';
import { renderReport } from '@nccl-ts/findings';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

/*
 * Programs with a synchronization that stands, and does not connect: what the report says of it.
 */

const params = { comm: devComm, data: window, flags: window, out: window, epoch: u32 };

/** Each rank stores to its right neighbour, and waits for its left one. */
const shift = (how: string) =>
  kernel(
    { name: 'shift', use: { lsa, how }, params },
    ({ lsa, how, coopCta, threadIdx, fence, u32 }, { comm, data, flags, out, epoch }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      const t = threadIdx.x;
      const right = (comm.lsaRank + 1) % comm.lsaSize;
      const left = (comm.lsaRank + comm.lsaSize - 1) % comm.lsaSize;
      const told = lsa.pointer(flags, u32, 0, how === 'other rank' ? left : right);
      const theirs = lsa.pointer(data, u32, 0, how === 'wrong peer' ? comm.lsaRank + 1 : right);
      const mine = lsa.localPointer(data, u32, 0);
      const flag = lsa.localPointer(flags, u32, 0);
      const result = lsa.localPointer(out, u32, 0);
      const rounds = how === 'reuse' ? 2 : 1;
      if (how === 'barrier before') bar.sync(coopCta(), 'acq_rel');
      for (let round = 0; round < rounds; round++) {
        const value = epoch + u32(round);
        if (how === 'tells first' && t === 0) told.store(0, value, 'release', 'system');
        theirs.store(t, value);
        if (how !== 'writer does not meet') coopCta().sync();
        if (how === 'late wait') result.store(t, mine.load(t));
        if (t === 0 && how !== 'barrier before' && how !== 'weak barrier') {
          if (how === 'relaxed' || how === 'five') told.store(0, value, 'relaxed', 'system');
          else if (how === 'narrow') told.store(0, value, 'release', 'device');
          else if (how === 'narrow fence') {
            fence('release', 'device');
            told.store(0, value, 'relaxed', 'system');
          } else if (how === 'plain') told.store(0, value);
          else if (how === 'other word') told.store(1, value, 'release', 'system');
          else if (how !== 'tells first') told.store(0, value, 'release', 'system');
          if (how === 'greater') while (flag.load(0, 'acquire', 'system') <= value);
          else if (how === 'relaxed reader') while (flag.load(0, 'relaxed', 'system') < value);
          else while (flag.load(0, 'acquire', 'system') < value);
        }
        if (how === 'weak barrier') bar.sync(coopCta(), 'acquire');
        if (how !== 'reader does not meet') coopCta().sync();
        if (how === 'five') {
          const a = mine.load(t);
          const b = mine.load(t ^ 1);
          const c = mine.load(t ^ 2);
          const d = mine.load(t ^ 3);
          result.store(t, a + b + c + d + mine.load(t ^ 4));
        } else if (how !== 'late wait') result.store(t, mine.load(t));
        coopCta().sync();
      }
      if (how !== 'no end') bar.sync(coopCta(), 'acq_rel');
    },
  );

/** All ranks arrive at a counter of each rank. */
const counts = (how: string) =>
  kernel(
    { name: 'counts', use: { lsa, how }, params },
    ({ lsa, how, coopCta, threadIdx, u32 }, { comm, data, flags, out, epoch }) => {
      const ranks = u32(comm.lsaSize);
      const right = (comm.lsaRank + 1) % comm.lsaSize;
      const counter = lsa.localPointer(flags, u32, 0);
      lsa.pointer(data, u32, 0, right).store(threadIdx.x, epoch);
      coopCta().sync();
      if (threadIdx.x === 0) {
        for (let peer = 0; peer < comm.lsaSize; peer++) {
          if (how !== 'one is missing' || peer !== comm.lsaRank)
            lsa.pointer(flags, u32, 0, peer).atomicAdd(0, 1, 'acq_rel', 'system');
        }
        const wanted = how === 'too low' ? ranks - 1 : how === 'reset' ? ranks : ranks * epoch;
        while (counter.load(0, 'acquire', 'system') < wanted);
        if (how === 'reset') counter.store(0, 0, 'relaxed', 'system');
      }
      coopCta().sync();
      lsa.localPointer(out, u32, 0).store(threadIdx.x, lsa.localPointer(data, u32, 0).load(threadIdx.x));
    },
  );

/** Puts to both neighbours, each with a signal. */
const halo = (how: string) =>
  kernel(
    { name: 'halo', use: { gin, lsa, teamWorld, how }, params },
    ({ gin, lsa, teamWorld, how, coopCta, threadIdx, u32, u64 }, { comm, data, flags, out }) => {
      const net = gin.context(comm, 0);
      const before = how === 'stale signal' ? u64(0) : net.readSignal(0);
      const bar = gin.barrierSession(coopCta(), net, 'world', 0);
      if (how !== 'read late') bar.sync(coopCta(), 'acq_rel', 'none');
      const world = teamWorld(comm);
      const left = (comm.rank + comm.nRanks - 1) % comm.nRanks;
      const right = (comm.rank + 1) % comm.nRanks;
      const inbox = lsa.localPointer(data, u32, 0);
      if (how === 'all threads' || threadIdx.x === 0) {
        net.put(world, left, data, 0, flags, 0, 4, gin.weakSignalInc(how === 'other signal' ? 1 : 0));
        net.put(world, right, data, 4, flags, 4, 4, gin.weakSignalInc(how === 'other signal' ? 1 : 0));
      }
      if (how === 'source') lsa.localPointer(flags, u32, 0).store(0, 1);
      if (how === 'signal too low') net.waitSignal(coopCta(), 0, before + 1);
      else if (how !== 'no wait') net.waitSignal(coopCta(), 0, before + 2);
      if (threadIdx.x < 2) lsa.localPointer(out, u32, 0).store(threadIdx.x, inbox.load(threadIdx.x));
      net.flush(coopCta());
    },
  );

/** Threads of one CTA at two barriers, and ranks at two indices. */
const meets = (how: string) =>
  kernel({ name: 'meets', use: { lsa, how }, params }, ({ lsa, how, coopCta, threadIdx, u32 }, { comm }) => {
    const bar = lsa.barrierSession(coopCta(), comm, how === 'two indices' ? u32(comm.lsaRank) : 0);
    if (how === 'ends early' && comm.lsaRank === 0) return;
    if (how !== 'branch' || threadIdx.x === 0) bar.sync(coopCta(), 'acq_rel');
    coopCta().sync();
  });

/** Has more accesses to words than a run remembers that shows no error. */
const long = kernel({ name: 'long', use: { lsa }, params }, ({ lsa, coopCta, threadIdx, u32 }, { comm, data, out }) => {
  const bar = lsa.barrierSession(coopCta(), comm, 0);
  const t = threadIdx.x;
  const result = lsa.localPointer(out, u32, 0);
  for (let i = 0; i < 300; i++) result.store(t, i, 'relaxed', 'device');
  bar.sync(coopCta(), 'acq_rel');
  lsa.pointer(data, u32, 0, (comm.lsaRank + 1) % comm.lsaSize).store(t, 1);
  result.store(t, lsa.localPointer(data, u32, 0).load(t));
  bar.sync(coopCta(), 'acq_rel');
});

/** Ends with flags of its own, so that both sides also wait for each other after their accesses. */
const endsByFlags = (how: string) =>
  kernel(
    { name: 'ends_by_flags', use: { lsa, how }, params },
    ({ lsa, how, coopCta, threadIdx, blockIdx, gridDim, fence, u32 }, { comm, data, flags, out, epoch }) => {
      const t = threadIdx.x;
      const cta = blockIdx.x;
      const ctas = gridDim.x;
      const peer = 1 - comm.lsaRank;
      const told = lsa.pointer(flags, u32, 0, peer);
      const flag = lsa.localPointer(flags, u32, 0);
      lsa.pointer(data, u32, 0, peer).store(4 * cta + t, epoch);
      coopCta().sync();
      if (t === 0) {
        if (how === 'another index') {
          told.store(cta, epoch, 'release', 'system');
          while (flag.load((cta + 1) % ctas, 'acquire', 'system') < epoch);
        } else if (how === 'one too few') {
          told.atomicAdd(4, 1, 'release', 'system');
          while (flag.load(4, 'acquire', 'system') < epoch * ctas - 1);
        } else {
          // The last CTA of a rank tells the peer.
          if (how !== 'a link does not release') fence('release', 'system');
          const before = flag.atomicAdd(5, 1, 'relaxed', 'device');
          if (before === epoch * ctas - 1) {
            if (how !== 'a link does not acquire') fence('acq_rel', 'system');
            told.store(6, epoch, how === 'a link does not acquire' ? 'relaxed' : 'release', 'system');
          }
          while (flag.load(6, 'acquire', 'system') < epoch);
        }
      }
      coopCta().sync();
      lsa.localPointer(out, u32, 0).store(4 * cta + t, lsa.localPointer(data, u32, 0).load(4 * cta + 3 - t));
      coopCta().sync();
      if (t === 0) {
        told.store(8 + cta, epoch, 'release', 'system');
        while (flag.load(8 + cta, 'acquire', 'system') < epoch);
      }
    },
  );

/** A put, and a wait for something that its rank did after it and that does not cover it. */
const uncovered = (how: string) =>
  kernel(
    { name: 'uncovered', use: { gin, lsa, teamWorld, how }, params },
    ({ gin, lsa, teamWorld, how, coopCta, threadIdx, u32 }, { comm, data, flags, out }) => {
      const net = gin.context(comm, 0);
      const other = gin.context(comm, how === 'signal of another context' ? 1 : 0);
      const before = other.readSignal(0);
      const bar = gin.barrierSession(coopCta(), net, 'world', 0);
      bar.sync(coopCta(), 'acq_rel', 'none');
      const right = (comm.rank + 1) % comm.nRanks;
      const world = teamWorld(comm);
      if (threadIdx.x === 0) {
        net.put(world, right, data, 0, flags, 0, 4);
        if (how === 'weak signal of another put') net.put(world, right, data, 4, flags, 4, 4, gin.weakSignalInc(0));
        if (how === 'signal of another context') other.signal(world, right, gin.strongSignalInc(0));
      }
      if (how === 'barrier of no puts') bar.sync(coopCta(), 'acq_rel', 'none');
      else if (how === 'barrier of load and store') {
        lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
      } else other.waitSignal(coopCta(), 0, before + 1);
      if (threadIdx.x === 0) lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(data, u32, 0).load(0));
      net.flush(coopCta());
      bar.sync(coopCta(), 'acq_rel', 'none');
    },
  );

interface Told {
  readonly name: string;
  readonly kernel: ReturnType<typeof shift>;
  readonly machine?: Pick<CheckOptions, 'ranks' | 'lsaSize'>;
  readonly epoch?: number;
  readonly launches?: number;
  readonly shape?: { readonly grid: number; readonly block: number };
}

/** Puts from one buffer, and waits for a counter between them that the first put satisfies. */
const recounts = kernel(
  { name: 'recounts', use: { gin, lsa, teamWorld }, params },
  ({ gin, lsa, teamWorld, coopThread, threadIdx, u32 }, { comm, data, flags }) => {
    const net = gin.context(comm, 0);
    const source = lsa.localPointer(flags, u32, 0);
    const right = (comm.rank + 1) % comm.nRanks;
    if (threadIdx.x === 0) {
      for (let round = 0; round < 3; round++) {
        source.store(0, u32(round));
        net.put(teamWorld(comm), right, data, round * 4, flags, 0, 4, gin.weakSignalInc(0), {
          localAction: gin.weakCounterInc(0),
        });
        net.waitCounter(coopThread(), 0, 1);
      }
      net.waitSignal(coopThread(), 0, 3);
    }
  },
);

const network: DevCommRequirements = {
  ginConnectionType: 'full',
  ginSignalCount: 2,
  worldGinBarrierCount: 1,
  ginContextCount: 2,
  ginCounterCount: 1,
};

/** Each rank adds 1 to a word of rank 0, for which it takes a lock there. */
const locked = (how: string) =>
  kernel(
    { name: 'locked', use: { lsa, how }, params },
    ({ lsa, how, threadIdx, u32 }, { comm: _comm, data, flags, out: _out, epoch: _epoch }) => {
      const lock = lsa.pointer(flags, u32, 0, 0);
      const word = lsa.pointer(data, u32, 0, 0);
      if (threadIdx.x === 0) {
        while (lock.atomicExch(0, 1, 'acquire', 'system') !== 0);
        const value = word.load(0);
        if (how === 'unlocks first') lock.atomicExch(0, 0, 'release', 'system');
        word.store(0, value + 1);
        if (how !== 'unlocks first') lock.atomicExch(0, 0, how === 'weak unlock' ? 'relaxed' : 'release', 'system');
      }
    },
  );

const programs: readonly Told[] = [
  ...[
    'other rank',
    'other word',
    'tells first',
    'late wait',
    'reuse',
    'barrier before',
    'weak barrier',
    'relaxed',
    'relaxed reader',
    'narrow',
    'narrow fence',
    'plain',
    'greater',
    'writer does not meet',
    'reader does not meet',
    'five',
    'wrong peer',
  ].map((name) => ({ name, kernel: shift(name) })),
  { name: 'initial value', kernel: shift('initial value'), epoch: 0 },
  { name: 'after many accesses', kernel: long },
  ...['another index', 'one too few', 'a link does not release', 'a link does not acquire'].map((name) => ({
    name,
    kernel: endsByFlags(name),
    machine: { ranks: 2 },
    shape: { grid: 3, block: 4 },
  })),
  { name: 'no end', kernel: shift('no end'), launches: 2 },
  { name: 'too low', kernel: counts('too low') },
  { name: 'one is missing', kernel: counts('one is missing') },
  { name: 'reset', kernel: counts('reset'), launches: 2, machine: { ranks: 2 } },
  ...['signal too low', 'no wait', 'other signal', 'source', 'all threads'].map((name) => ({
    name,
    kernel: halo(name),
  })),
  { name: 'stale signal', kernel: halo('stale signal'), launches: 2 },
  { name: 'read late', kernel: halo('read late'), launches: 2 },
  ...['branch', 'ends early', 'two indices'].map((name) => ({ name, kernel: meets(name), machine: { ranks: 2 } })),
  ...['weak signal of another put', 'signal of another context', 'barrier of no puts', 'barrier of load and store'].map(
    (name) => ({ name, kernel: uncovered(name) }),
  ),
  { name: 'counter too low', kernel: recounts },
  ...['unlocks first', 'weak unlock'].map((name) => ({ name, kernel: locked(name), machine: { ranks: 2 } })),
];

function runs({
  kernel: launched,
  launches = 1,
  epoch = 1,
  shape = { grid: 1, block: 16 },
}: Told): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const [data, flags, out] = [
        await comm.allocWindow('u32', 16),
        await comm.allocWindow('u32', 16),
        await comm.allocWindow('u32', 16),
      ];
      for (const win of [data, flags, out]) await win.write(new Uint32Array(16));
      const dev = await comm.createDevComm({ lsaBarrierCount: 2, ...network });
      for (let i = 0; i < launches; i++)
        await comm.launch(launched, shape, { comm: dev, data, flags, out, epoch: epoch + i });
      await comm.synchronize();
    });
  };
}

/** The headlines of a report, and what it says of the synchronization. */
function story(text: string): string {
  const told = /^(error|warning)\[|^ *= (today|help|also|launches|missing|note: (?!\d+:\d+ (leads|is)|and that))/;
  const lines = text.split('\n').filter((line) => told.test(line) || /made by|fence \(/.test(line));
  return `${lines.map((line) => line.replace(/^ +(?=[=|])/, '  ')).join('\n')}\n`;
}

describe('a report tells why a synchronization does not connect', () => {
  it.each(programs.filter(({ name }, i) => (i % 6 === 0 && name !== 'after many accesses') !== inject('slow')))(
    '$name',
    { timeout: 60_000 },
    async (program) => {
      const report = await check(program.machine ?? { ranks: 3 }, runs(program));
      await expect(story(renderReport(report))).toMatchFileSnapshot(
        `snapshots/story-${program.name.replaceAll(' ', '-')}.txt`,
      );
    },
  );

  it.each(programs.filter(({ name }) => (inject('slow') ? ['tells first'] : ['greater']).includes(name)))(
    '$name: in exhaustive mode',
    async (program) => {
      const report = await check({ ranks: 2, strategy: 'exhaustive', bound: 200 }, runs(program));
      await expect(story(renderReport(report))).toMatchFileSnapshot(
        `snapshots/story-${program.name.replaceAll(' ', '-')}-exhaustive.txt`,
      );
    },
  );
});
