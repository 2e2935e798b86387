import { readFileSync } from 'node:fs';
import { array, harness, ptr, struct, u32 } from '@nccl-ts/harness';
import { repair, type RepairReport } from '@nccl-ts/relax';
import { describe, expect, inject, it } from 'vitest';
import { message, messageHarness } from './support/message.ts';

/** Each of these checks a kernel some fifty times. */
const slow = inject('slow') ? [0] : [];

async function repaired(from: string, to: string): Promise<RepairReport> {
  expect(message).toContain(from);
  return repair(messageHarness(), message.replace(from, to), { name: 'message.ptx', patience: 600, seconds: 60 });
}

/** A thread of each rank raises its flag, and stores if it does not see the other's. */
const dekker = `.version 8.5
.target sm_90
.address_size 64
.visible .entry dekker(.param .u64 mine, .param .u64 theirs, .param .u64 data, .param .u32 rank)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mine];
  ld.param.u64 %rd2, [theirs];
  ld.param.u64 %rd3, [data];
  st.relaxed.sys.global.u32 [%rd1], 1;
  ld.relaxed.sys.global.u32 %r1, [%rd2];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  ld.param.u32 %r2, [rank];
  st.global.u32 [%rd3], %r2;
END:
  ret;
}
`;

const dekkerHarness = harness({
  kernel: 'dekker.ptx',
  entry: 'dekker',
  ranks: 2,
  grid: 1,
  block: 1,
  setup({ rank, alloc, peer }) {
    const [flag, data] = [alloc('flag', u32, 1), alloc('data', u32, 1)];
    return { args: [flag, peer(flag, 1 - rank), peer(data, 0), rank + 1] };
  },
});

function changes({ repairs }: RepairReport): readonly string[] {
  return repairs.map((one) => one.changes.map(({ does, lines }) => `${does} at ${lines.join(',')}`).join(' and '));
}

describe('repair', () => {
  it.for(slow)('gives a flag its release back, and knows the fence that does the same', async () => {
    const report = await repaired('st.release.sys', 'st.relaxed.sys');
    expect(report.finding).toMatchObject({ kind: 'race', missing: [{ kind: 'release' }] });
    expect(changes(report)).toEqual([
      'relaxed -> release at 34',
      'insert fence.acq_rel.sys at 34',
      'insert fence.acq_rel.sys at 33',
    ]);
    const [first, second] = report.repairs;
    expect(first).toMatchObject({
      text: message,
      proven: ['as it is', 'a consumer', '1 launch', '3 launches', 'twice the CTAs'],
      silences: false,
    });
    expect(second?.diff.split('\n').filter((line) => /^[-+@]/u.test(line))).toEqual([
      '--- message.ptx',
      '+++ message.ptx',
      '@@ -31,6 +31,7 @@',
      '+  fence.acq_rel.sys;',
    ]);
  });

  it.for(slow)('knows that threads which store and then load need sequential fences', async () => {
    const report = await repair(dekkerHarness, dekker, { name: 'dekker.ptx', patience: 600, seconds: 60 });
    expect(report.finding).toMatchObject({ kind: 'race', missing: [{ kind: 'synchronisation' }] });
    expect(changes(report)[0]).toBe('insert fence.sc.sys at 13');
    expect(report.repairs[0]?.proven).toContain('as it is');
  });

  it.for(slow)('widens a scope', async () => {
    expect(changes(await repaired('st.release.sys', 'st.release.gpu'))[0]).toBe('gpu -> sys at 34');
  });

  it.for(slow)('gives a wait its acquire back', async () => {
    expect(changes(await repaired('ld.acquire.sys', 'ld.relaxed.sys'))[0]).toBe('relaxed -> acquire at 36');
  });

  it.for(slow)('puts a barrier back before the signal', async () => {
    const report = await repaired('  bar.sync 0;\n  @%p1 bra READ', '  @%p1 bra READ');
    expect(report.repairs[0]?.text).toBe(message);
    expect(report.repairs.every((one) => one.changes.every(({ kind }) => kind === 'barrier'))).toBe(true);
  });

  it.for(slow)('puts a barrier back after the wait', async () => {
    const report = await repaired('READ:\n  bar.sync 0;\n', 'READ:\n');
    expect(report.repairs[0]?.text).toBe(message);
  });

  it.for(slow)('finds several changes that are needed together', async () => {
    const weak = message.replace('st.release.sys', 'st.relaxed.sys').replace('ld.acquire.sys', 'ld.relaxed.sys');
    const report = await repair(messageHarness(), weak, { name: 'message.ptx', patience: 600, seconds: 60 });
    expect(report.repairs.map(({ text }) => text)).toContain(message);
  });

  it.for(slow)('marks an order on data, which silences a race', async () => {
    // No thread waits, and the harness takes any result.
    const unwaited = message.replace('@%p2 bra WAIT;', '');
    const { repairs, reason } = await repair(messageHarness(1, false), unwaited, {
      name: 'message.ptx',
      patience: 600,
      seconds: 60,
    });
    expect(reason).toBe('protocol');
    expect(repairs.map(({ silences }) => silences)).toEqual([true]);
    expect(repairs[0]?.changes.map(({ instruction }) => instruction).toSorted()).toEqual([
      'ld.global.f32 %f2, [%rd8];',
      'st.global.f32 [%rd7], %f1;',
    ]);
  });

  it.for(slow)('says that no order mends a wait for a wrong value', async () => {
    const report = await repaired('setp.lt.u32 %p2, %r3, %r1', 'setp.eq.u32 %p2, %r3, 77');
    expect(report.reason).toBe('protocol');
    expect(report.repairs.filter(({ silences }) => !silences)).toEqual([]);
  });

  it('has nothing to say of a kernel that is right', async () => {
    expect(await repair(messageHarness(), message)).toEqual({ repairs: [], checks: 1 });
  });

  it('stops at its signal', async () => {
    const signal = AbortSignal.abort();
    await expect(repair(messageHarness(), message, { signal })).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
  });
});

describe.for(slow)('repair in a source', () => {
  const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
  const Peers = struct({ data: array(ptr, 8), flags: array(ptr, 8) });
  const launch = harness({
    entry: 'next',
    ranks: 2,
    grid: 1,
    block: 64,
    launches: 2,
    setup({ rank, nRanks, alloc, peers }) {
      const [data, flags, out] = [alloc('data', u32, 64), alloc('flags', u32, 8), alloc('out', u32, 64)];
      const table = Peers({ data: peers(data), flags: peers(flags) });
      return { args: (nth) => [table, out, rank, nRanks, nth] };
    },
  });

  it('puts back a barrier of the ranks within a kernel, with the epoch that is free', async () => {
    const whole = fixture('two-barriers.cu');
    const text = whole.replace('  barrier(peers, rank, nRanks, 2 * epoch + 1);\n', '');
    // The compiler's results were prepared in advance.
    const compile = async (changed: string): Promise<string> =>
      changed === whole ? fixture('two-barriers.ptx') : Promise.reject(new Error('not prepared'));
    const { repairs, reason } = await repair(launch, fixture('one-barrier.ptx'), {
      name: 'two-barriers.ptx',
      author: { file: '/src/two-barriers.cu', text, compile },
      source: (path) => (path === '/src/two-barriers.cu' ? text : undefined),
      patience: 600,
      seconds: 60,
    });
    expect(reason).toBeUndefined();
    expect(repairs.map(({ text: made, isSource }) => [made === fixture('two-barriers.ptx'), isSource])).toEqual([
      [true, true],
    ]);
    expect(repairs[0]?.source).toBe(whole);
    expect(repairs[0]?.diff).toContain('+  barrier(peers, rank, nRanks, 2 * epoch + 1);');
  });
});
