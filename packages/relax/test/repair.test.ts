import { repair, type RepairReport } from '@nccl-ts/relax';
import { describe, expect, inject, it } from 'vitest';
import { message, messageHarness } from './support/message.ts';

/** Each of these checks a kernel some fifty times. */
const slow = inject('slow') ? [0] : [];

async function repaired(from: string, to: string): Promise<RepairReport> {
  expect(message).toContain(from);
  return repair(messageHarness(), message.replace(from, to), { name: 'message.ptx', patience: 600, seconds: 60 });
}

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
    expect(second?.diff).toBe('--- message.ptx\n+++ message.ptx\n@@ -33,0 +34 @@\n+  fence.acq_rel.sys;\n');
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
