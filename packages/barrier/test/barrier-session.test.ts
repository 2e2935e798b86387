import { barrier } from '@nccl-ts/barrier';
import { memoryOrders, type MemoryOrder } from '@nccl-ts/core';
import { devComm, ginBarrierHandle, lsaBarrierHandle, multimemHandle, team } from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel, u32, u64, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { branchesOf, messages, printed, sessionLines } from './support/session-calls.ts';

type Tag = 'world' | 'lsa' | 'rail';

/** Makes a session over TAG and synchronizes once. */
function meeting(TAG: Tag, ORDER: MemoryOrder, FENCE: GinFence): Pick<Kernel, 'compile'> {
  return kernel(
    { name: 'meets', use: { barrier, gin, TAG, ORDER, FENCE }, params: { comm: devComm, index: u32 } },
    ({ barrier, gin, TAG, ORDER, FENCE, coopCta }, { comm, index }) => {
      const bar = barrier.session(coopCta(), gin.context(comm, 0), TAG, index);
      bar.sync(coopCta(), ORDER, FENCE);
    },
  );
}

/** The parts that a barrier over `tag` calls, with their arguments. */
function partsOf(tag: Tag, order: MemoryOrder, fence: GinFence): readonly string[] {
  return sessionLines(meeting(tag, order, fence)).filter((line) => line.includes('Session.sync '));
}

describe('a session', () => {
  it("over the world has a part for each of three teams, and ends the domain's part when it ends", () => {
    expect(sessionLines(meeting('world', 'acq_rel', 'none'))).toEqual([
      'barrier.session 0 world',
      'lsa.barrierSession 1',
      'gin.barrierSession 2 rail',
      'gin.barrierSession 3 world',
      'barrier.session.sync 0 acq_rel none',
      'lsa.barrierSession.sync 1 acq_rel',
      'gin.barrierSession.sync 2 acq_rel none',
      'barrier.session.~ 0',
      'lsa.barrierSession.~ 1',
    ]);
  });

  it('over the domain, or the rail, has only that part', () => {
    expect(sessionLines(meeting('lsa', 'acq_rel', 'none'))).toEqual([
      'barrier.session 0 lsa',
      'lsa.barrierSession 1',
      'barrier.session.sync 0 acq_rel none',
      'lsa.barrierSession.sync 1 acq_rel',
      'barrier.session.~ 0',
      'lsa.barrierSession.~ 1',
    ]);
    // The signal shadows contain the state of the network's barriers, so those need no destructor.
    expect(sessionLines(meeting('rail', 'acq_rel', 'none'))).toEqual([
      'barrier.session 0 rail',
      'gin.barrierSession 1 rail',
      'barrier.session.sync 0 acq_rel none',
      'gin.barrierSession.sync 1 acq_rel none',
    ]);
  });

  it("uses the state from the communicator's barrierCount, separate from other barriers", () => {
    const text = printed(meeting('world', 'acq_rel', 'put'));
    const read = new Set(text.match(/\b(?:hybrid|world|rail|lsa)\w*Barrier\.\w+/g));
    expect([...read].sort()).toEqual([
      'hybridLsaBarrier.bufHandle',
      'hybridLsaBarrier.nBarriers',
      'hybridRailGinBarrier.signal0',
      'hybridWorldGinBarrier.signal0',
    ]);
  });

  it.each(['world', 'lsa', 'rail'] as const)('over %s has an index below barrierCount', (tag) => {
    expect(printed(meeting(tag, 'acq_rel', 'none'))).toContain(
      '"hybrid barrier index {}, but the device communicator has {}: createDevComm({ barrierCount: {} })", ',
    );
  });

  it('has the right TypeScript types, and checks its arguments', () => {
    const wrong = kernel(
      { name: 'wrong', use: { barrier, gin }, params: { comm: devComm, n: u32 } },
      ({ barrier, gin, coopCta }, { comm, n }) => {
        const net = gin.context(comm, 0);
        // @ts-expect-error there is no such team
        barrier.session(coopCta(), net, 'node', 0);
        // @ts-expect-error a communicator is no context
        barrier.session(coopCta(), comm, 'lsa', 0);
        // @ts-expect-error unknown option
        barrier.session(coopCta(), net, 'world', 0, { team: n });
        const bar = barrier.session(coopCta(), net, 'world', 0);
        // @ts-expect-error there is no such fence
        bar.sync(coopCta(), 'acq_rel', 'all');
      },
    );
    expect(messages(wrong)).toEqual([
      "K1105 barrier.session: 'tag' cannot be 'node'",
      "K1104 barrier.session: 'net' must be a Gin",
      "K1106 barrier.session has no option 'team'",
      "K1105 barrier.session.sync: 'fence' cannot be 'all'",
    ]);
  });
});

describe('sync', () => {
  it.each(['put', 'putGet'] as const)(
    'with the fence %s uses the world barrier, unless the connection is rail',
    (fence) => {
      const branches = branchesOf(meeting('world', 'acq_rel', fence), 'barrier.session.sync');
      expect(branches).toEqual([
        {
          condition: '!$0.ginContextsRailed:bool',
          then: [`gin.barrierSession.sync 3 acq_rel ${fence}`],
          else: ['lsa.barrierSession.sync 1 acq_rel', `gin.barrierSession.sync 2 acq_rel ${fence}`],
        },
      ]);
    },
  );

  it.each(['none', 'get'] as const)('with the fence %s uses the domain and then the rail', (fence) => {
    expect(branchesOf(meeting('world', 'acq_rel', fence), 'barrier.session.sync')).toEqual([]);
    expect(partsOf('world', 'acq_rel', fence)).toEqual([
      'lsa.barrierSession.sync 1 acq_rel',
      `gin.barrierSession.sync 2 acq_rel ${fence}`,
    ]);
  });

  it.each(memoryOrders)('passes the same order %s to each stage', (order) => {
    expect(partsOf('world', order, 'none')).toEqual([
      `lsa.barrierSession.sync 1 ${order}`,
      `gin.barrierSession.sync 2 ${order} none`,
    ]);
    expect(partsOf('lsa', order, 'none')).toEqual([`lsa.barrierSession.sync 1 ${order}`]);
    expect(partsOf('rail', order, 'none')).toEqual([`gin.barrierSession.sync 1 ${order} none`]);
  });

  it('fences puts and gets by default', () => {
    const plain = kernel(
      { name: 'plain', use: { barrier, gin }, params: { comm: devComm } },
      ({ barrier, gin, coopCta }, { comm }) => {
        barrier.session(coopCta(), gin.context(comm, 0), 'rail', 0).sync(coopCta(), 'acq_rel');
      },
    );
    expect(sessionLines(plain)).toContain('gin.barrierSession.sync 1 acq_rel putGet');
  });

  it("with a time limit leaves the rail the domain's remaining time, and returns the first time-out", () => {
    const timed = kernel(
      { name: 'timed', use: { barrier, gin }, params: { comm: devComm, cycles: u64 } },
      ({ barrier, gin, coopCta, assert }, { comm, cycles }) => {
        const bar = barrier.session(coopCta(), gin.context(comm, 0), 'world', 0);
        assert(bar.sync(coopCta(), 'acq_rel', 'none', cycles) === 0, 'in time');
      },
    );
    const body = printed(timed);
    expect(body).toMatch(/%\d+ = call lsa\.barrierSession\.sync<.*>\(\$1\) session 1/);
    // The remaining time, reduced by the elapsed time but not below 0. A local keeps it for the
    // call.
    const rest = String.raw`%(\d+) = \(%\1 - min\(\(%\d+ - %\d+\), %\1\)\)\s+%(\d+) = %\1`;
    const call = String.raw`%(\d+) = call gin\.barrierSession\.sync<.*>\(%\2\) session 2`;
    const [, left, , across] = new RegExp(String.raw`${rest}\s+${call}`).exec(body) ?? [];
    expect(body).toContain(`%${left} = $1`);
    // The first time-out counts, or the second if the first part had none.
    expect(body).toMatch(new RegExp(String.raw`if \(%(\d+) == 0:u32\) \{\s+%\1 = %${across}\s+\}`));
  });
});

describe('parts', () => {
  const use = { barrier, gin };

  it('are separate sessions, which end with the barrier', () => {
    const apart = kernel({ name: 'apart', use, params: { comm: devComm } }, ({ barrier, gin, coopCta }, { comm }) => {
      const bar = barrier.session(coopCta(), gin.context(comm, 0), 'world', 0);
      bar.lsaBarrier().arrive(coopCta(), 'release');
      bar.ginBarrier().sync(coopCta(), 'relaxed', 'get');
      bar.lsaBarrier().wait(coopCta(), 'acquire');
    });
    expect(sessionLines(apart).slice(4)).toEqual([
      'lsa.barrierSession.arrive 1 release',
      'gin.barrierSession.sync 2 relaxed get',
      'lsa.barrierSession.wait 1 acquire',
      'barrier.session.~ 0',
      'lsa.barrierSession.~ 1',
    ]);
  });

  it('are missing over teams that do not have them', () => {
    const none = kernel({ name: 'none', use, params: { comm: devComm } }, ({ barrier, gin, coopCta }, { comm }) => {
      barrier.session(coopCta(), gin.context(comm, 0), 'lsa', 0).ginBarrier().sync(coopCta(), 'relaxed');
      barrier.session(coopCta(), gin.context(comm, 0), 'rail', 0).lsaBarrier().sync(coopCta(), 'relaxed');
    });
    expect(messages(none)).toEqual([
      "K1101 session 'barrier.session' has no member 'ginBarrier'",
      "K1101 session 'barrier.session' has no member 'lsaBarrier'",
    ]);
  });
});

describe('options', () => {
  const params = {
    comm: devComm,
    inner: team,
    outer: team,
    innerHandle: lsaBarrierHandle,
    outerHandle: ginBarrierHandle,
    mm: multimemHandle,
  };

  it('for multicast are passed to the domain part', () => {
    const own = kernel(
      { name: 'own', use: { barrier, gin }, params },
      ({ barrier, gin, coopCta }, { comm, inner, outer, innerHandle, outerHandle }) => {
        const options = { innerTeam: inner, outerTeam: outer, innerHandle, outerHandle };
        const bar = barrier.session(coopCta(), gin.context(comm, 0), 'world', 1, options);
        bar.sync(coopCta(), 'acq_rel', 'putGet');
      },
    );
    expect(sessionLines(own)).toEqual([
      'barrier.session 0 world',
      'lsa.barrierSession 1',
      'gin.barrierSession 2 rail',
      'barrier.session.sync 0 acq_rel putGet',
      'lsa.barrierSession.sync 1 acq_rel',
      'gin.barrierSession.sync 2 acq_rel putGet',
      'barrier.session.~ 0',
      'lsa.barrierSession.~ 1',
    ]);
    expect(printed(own)).not.toMatch(/hybrid/);
  });

  it("for multicast are passed to the domain's part", () => {
    const many = kernel(
      { name: 'many', use: { barrier, gin }, params },
      ({ barrier, gin, coopCta }, { comm, inner, outer, innerHandle, outerHandle, mm }) => {
        barrier.session(coopCta(), gin.context(comm, 0), 'lsa', 0, { multimem: true });
        const own = { innerTeam: inner, outerTeam: outer, innerHandle, outerHandle, multimem: true, innerMmHandle: mm };
        barrier.session(coopCta(), gin.context(comm, 0), 'world', 0, own).sync(coopCta(), 'release', 'none');
      },
    );
    const [first = '', second = ''] = printed(many)
      .split('\n')
      .filter((line) => line.includes('call lsa.barrierSession<'));
    expect(first).toContain('multimem = true');
    expect(first).toContain('$0.lsaMultimem.mcBasePtr');
    expect(second).toContain('multimem = true');
    expect(second).not.toContain('lsaMultimem');
    expect(printed(many)).toContain('multicastAdd');
  });
});
