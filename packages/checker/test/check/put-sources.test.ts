import { barrier } from '@nccl-ts/barrier';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { CheckReport, Severity } from '@nccl-ts/findings';
import { describe, expect, inject, it } from 'vitest';
import { hosts, reportsOf } from './every-engine.ts';

const params = { comm: devComm, win: window };

/**
 * Rank 0 puts a number, and rank 1 waits for a signal. The ranks meet, and rank 0 overwrites the
 * number.
 */
const reuses = (signal: 'own' | 'another', order: 'relaxed' | 'acq_rel') =>
  kernel(
    {
      name: `reuses_${signal}_${order}`,
      use: { lsa, gin, barrier, teamWorld, ORDER: order, INDEX: signal === 'own' ? 0 : 1 },
      params,
    },
    ({ lsa, gin, barrier, teamWorld, ORDER, INDEX, coopCta, coopThread, u32 }, { comm, win }) => {
      const net = gin.context(comm, 0);
      const both = barrier.session(coopCta(), net, 'world', 0);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, win, 8, win, 0, 4, gin.weakSignalInc(0));
        net.signal(teamWorld(comm), 1, gin.weakSignalInc(1));
      }
      if (comm.rank === 1) net.waitSignal(coopThread(), INDEX, 1);
      both.sync(coopCta(), ORDER, 'none');
      if (comm.rank === 0) lsa.localPointer(win, u32, 0).store(0, 1);
    },
  );

const severities = ({ findings }: CheckReport): readonly Severity[] =>
  findings.filter(({ kind }) => kind === 'race').map(({ severity }) => severity);

const rows = [
  ['own', 'relaxed', 1, ['model']],
  ['own', 'relaxed', 2, ['model']],
  ['own', 'acq_rel', 2, []],
  ['another', 'acq_rel', 2, ['error']],
  ['another', 'relaxed', 2, ['error']],
] as const;

/** The quick tests have the first row. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

describe('the source of a put, overwritten after a wait at the target', () => {
  it.each(rows.filter(isNow))(
    'signal: %s, barrier: %s, domains of %i, to every engine: %j',
    async (signal, order, lsaSize, expected) => {
      const program = hosts(async (comm) => {
        const win = await comm.allocWindow('u32', 4);
        const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 2, barrierCount: 1 });
        await comm.launch(reuses(signal, order), { grid: 1, block: 1 }, { comm: dev, win });
        await comm.synchronize();
      });
      const reports = await reportsOf({ ranks: 2, lsaSize }, program);
      for (const [engine, report] of reports)
        expect({ engine, races: severities(report) }).toEqual({ engine, races: expected });
    },
  );
});

/** A rank puts to itself, waits for the signal and overwrites the number. */
const waits = (order: 'relaxed' | 'acquire', strength: 'weak' | 'strong') =>
  kernel(
    {
      name: `waits_${order}_${strength}`,
      use: { lsa, gin, teamWorld, ORDER: order, STRONG: strength === 'strong' },
      params,
    },
    ({ lsa, gin, teamWorld, ORDER, STRONG, coopThread, u32 }, { comm, win }) => {
      const net = gin.context(comm, 0);
      net.put(teamWorld(comm), comm.rank, win, 8, win, 0, 4, STRONG ? gin.signalInc(0) : gin.weakSignalInc(0));
      net.waitSignal(coopThread(), 0, 1, { order: ORDER });
      lsa.localPointer(win, u32, 0).store(0, 1);
    },
  );

const own = [
  ['relaxed', 'weak', ['model']],
  ['relaxed', 'strong', ['model']],
  ['acquire', 'weak', []],
  ['acquire', 'strong', []],
] as const;

describe('the source of a put, overwritten by the thread that has waited for its signal', () => {
  it.each(own.filter(isNow))('wait: %s, signal: %s, to every engine: %j', async (order, strength, expected) => {
    const program = hosts(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
      await comm.launch(waits(order, strength), { grid: 1, block: 1 }, { comm: dev, win });
      await comm.synchronize();
    });
    const reports = await reportsOf({ ranks: 1 }, program);
    for (const [engine, report] of reports)
      expect({ engine, races: severities(report) }).toEqual({ engine, races: expected });
  });
});

/** A rank puts a number, waits by relaxed reads for its completion, and overwrites it. */
const flushes = (by: 'flush' | 'counter' | 'barrier') =>
  kernel(
    { name: `flushes_${by}`, use: { lsa, gin, barrier, teamWorld, BY: by }, params },
    ({ lsa, gin, barrier, teamWorld, BY, coopCta, u32 }, { comm, win }) => {
      const net = gin.context(comm, 0);
      const both = barrier.session(coopCta(), net, 'world', 0);
      if (comm.rank === 0)
        net.put(teamWorld(comm), 1, win, 8, win, 0, 4, undefined, { localAction: gin.counterInc(0) });
      if (BY === 'flush') net.flush(coopCta(), 'relaxed');
      if (BY === 'counter' && comm.rank === 0) net.waitCounter(coopCta(), 0, 1, { order: 'relaxed' });
      if (BY === 'barrier') both.sync(coopCta(), 'release', 'putGet');
      if (comm.rank === 0) lsa.localPointer(win, u32, 0).store(0, 1);
    },
  );

describe('the source of a put, overwritten after a relaxed wait for its completion', () => {
  it.each((['flush', 'counter', 'barrier'] as const).filter(isNow))('by %s: clean to every engine', async (by) => {
    const program = hosts(async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({ ginConnectionType: 'full', ginCounterCount: 1, barrierCount: 1 });
      await comm.launch(flushes(by), { grid: 1, block: 1 }, { comm: dev, win });
      await comm.synchronize();
    });
    const reports = await reportsOf({ ranks: 2, lsaSize: 1 }, program);
    for (const [engine, report] of reports)
      expect({ engine, verdict: report.verdict, races: severities(report) }).toEqual({
        engine,
        verdict: 'clean',
        races: [],
      });
  });
});
