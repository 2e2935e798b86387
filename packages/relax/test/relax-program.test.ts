import { readFileSync } from 'node:fs';
import type { Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { relaxProgram, type ProgramRelaxReport } from '@nccl-ts/relax';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const params = { comm: devComm, data: window, flags: window, out: window };

/** Each rank stores to its right neighbour and reads what its left one has stored. */
const shift = kernel(
  { name: 'shift', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, fence, u32 }, { comm, data, out }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel'); // entry
    const right = (comm.lsaRank + 1) % comm.lsaSize;
    lsa.pointer(data, u32, 0, right).store(threadIdx.x, comm.rank * 100 + threadIdx.x);
    fence('acq_rel', 'system'); // fence
    bar.sync(coopCta(), 'acq_rel'); // middle
    coopCta().sync(); // again
    lsa.localPointer(out, u32, 0).store(threadIdx.x, lsa.localPointer(data, u32, 0).load(threadIdx.x ^ 33));
  },
);

/** Each rank tells its neighbour by a flag, in each launch with the next value. */
const tells = kernel(
  { name: 'tells', use: { lsa }, params },
  ({ lsa, coopCta, threadIdx, waitUntil, u32 }, { comm, data, flags, out }) => {
    const right = (comm.lsaRank + 1) % comm.lsaSize;
    const own = lsa.localPointer(flags, u32, 0);
    const count = own.load(1);
    lsa.pointer(data, u32, 0, right).store(threadIdx.x, threadIdx.x + count);
    coopCta().sync(); // in one warp
    if (threadIdx.x === 0) {
      lsa.pointer(flags, u32, 0, right).store(0, count + 1, 'release', 'system'); // tell
      waitUntil(() => own.load(0, 'acquire', 'system') === count + 1); // wait
      own.store(1, count + 1);
    }
    coopCta().sync();
    lsa.localPointer(out, u32, 0).store(threadIdx.x, lsa.localPointer(data, u32, 0).load(threadIdx.x));
  },
);

/** Offers that cannot be written, beside one that can. */
const dense = kernel(
  { name: 'dense', use: { lsa, ORDER: 'acq_rel' }, params },
  ({ lsa, ORDER, coopCta, threadIdx, fence, u32 }, { comm, data }) => {
    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');
    const right = (comm.lsaRank + 1) % comm.lsaSize;
    if (threadIdx.x < 64)
      // the only statement
      fence('acq_rel', 'system');
    lsa.pointer(data, u32, 0, right).store(threadIdx.x, threadIdx.x);
    lsa.barrierSession(coopCta(), comm, 1).sync(coopCta(), ORDER);
  },
);

const host =
  (code: typeof shift, block: number, launches: number) =>
  async (comm: Communicator, { scale = 1 }: { readonly scale?: number }): Promise<void> => {
    const data = await comm.allocWindow('u32', 64 * scale);
    const flags = await comm.allocWindow('u32', 64);
    const out = await comm.allocWindow('u32', 64 * scale);
    for (const one of [data, flags, out]) await one.write(Array.from({ length: 64 }, () => 0));
    const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
    for (let launch = 0; launch < launches * scale; launch++)
      await comm.launch(code, { grid: 1, block }, { comm: dev, data, flags, out });
    await comm.synchronize();
  };

/** The judgements, by the statement and its order in the kernel. */
function judgements({ places }: ProgramRelaxReport): readonly string[] {
  return places.map(({ place, judgement, to }) =>
    [place.name, judgement, ...(to === undefined ? [] : [to])].join(': '),
  );
}

/** The lines that the offers change in the author's text. */
function changedLines({ written }: ProgramRelaxReport): readonly string[] {
  return written.flatMap(({ diff }) => diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line)));
}

const textOf = (path: string): string => readFileSync(path, 'utf8');

describe('the synchronizations of a host program', () => {
  it('are judged one by one and together, with windows that others use before and after', async () => {
    const report = await relaxProgram(host(shift, 64, 2), { ranks: [2], textOf });
    expect(judgements(report)).toEqual([
      'lsa.barrierSession.sync: weaker: acquire',
      'fence: removable: removed',
      'lsa.barrierSession.sync: needed',
      'sync: removable: removed',
    ]);
    expect(report.places.map(({ place }) => place.at.replace(/:\d+$/, ''))).toEqual(
      report.places.map(() => 'relax-program.test.ts'),
    );
    expect(report.joint).toEqual([0, 1, 3]);
    expect(report.written.map(({ offers }) => offers)).toEqual([[0, 1, 3]]);
    expect(changedLines(report)).toEqual([
      "-    bar.sync(coopCta(), 'acq_rel'); // entry",
      "+    bar.sync(coopCta(), 'acquire'); // entry",
      "-    fence('acq_rel', 'system'); // fence",
      '-    coopCta().sync(); // again',
    ]);
    expect(report.inputs).toEqual([
      { name: 'as it is' },
      { name: '8 times the size' },
      { name: 'all windows rewritten around each launch (2 ranks)' },
      { name: 'all windows rewritten around each launch (2 ranks, 8 times the size)' },
      { name: 'each launch twice (2 ranks)' },
    ]);
  });

  it.for(slow)('are needed if the flag that they order is', async () => {
    const report = await relaxProgram(host(tells, 64, 1), { ranks: [2] });
    const names = judgements(report);
    expect(names).toContain('store: needed');
    expect(names.filter((name) => name.includes('removable'))).toEqual([]);
  });

  it.for(slow)('are written only where a statement or a word is all of an offer', async () => {
    const report = await relaxProgram(host(dense, 64, 1), { ranks: [2], textOf });
    expect(judgements(report).filter((name) => !name.includes('needed'))).toEqual([
      'lsa.barrierSession.sync: weaker: acquire',
      'fence: removable: removed',
      'lsa.barrierSession.sync: weaker: release',
    ]);
    expect(report.joint).toEqual([0, 1, 2]);
    // Without the fence, `if` would take the store; and the second order is no word of the call.
    expect(report.written.map(({ offers }) => offers)).toEqual([[0]]);
    expect(changedLines(report)).toEqual([
      "-    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acq_rel');",
      "+    lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'acquire');",
    ]);
  });

  it('are not offered for a program of one size', async () => {
    const small = async (comm: Communicator): Promise<void> => host(shift, 64, 2)(comm, {});
    const report = await relaxProgram(small, { ranks: [2] });
    expect(report.joint).toEqual([]);
    expect(new Set(report.places.map(({ judgement }) => judgement))).toEqual(new Set(['needed', 'not judged']));
    expect(report.places[0]?.why).toContain('no larger program can judge it: host has one size');
  });

  it.for(slow)('of threads are not judged in CTAs of one warp', async () => {
    const report = await relaxProgram(host(shift, 32, 2), { ranks: [2] });
    const why = report.places.filter(({ place }) => place.name === 'sync').map((one) => one.why);
    expect(why).toEqual(['it is reached only by CTAs of one warp']);
  });

  it('have no measure in a program that is wrong', async () => {
    const races = kernel({ name: 'races', use: { lsa }, params }, ({ lsa, u32 }, { comm, data }) => {
      lsa.pointer(data, u32, 0, 0).store(0, comm.rank);
    });
    await expect(relaxProgram(host(races, 32, 1), { ranks: [2] })).rejects.toThrow(
      /relax: the program as it is cannot be the measure: it is wrong there/,
    );
  });

  it('have no measure in a program whose host throws', async () => {
    const throws = async (): Promise<void> => Promise.reject(new Error('rank 0: wrong at 3'));
    await expect(relaxProgram(throws, { ranks: [2] })).rejects.toThrow(
      'relax: the program as it is cannot be the measure: the host program throws Error: rank 0: wrong at 3.',
    );
  });

  it('are those of a kernel that the program launches', async () => {
    await expect(relaxProgram(host(shift, 64, 1), { ranks: [2], kernel: 'shfit' })).rejects.toThrow(
      'relax: the program launches no kernel shfit; it launches shift.',
    );
  });

  it('are judged until the signal fires', async () => {
    const stop = new AbortController();
    const options = { ranks: [2], signal: stop.signal, onProgress: () => stop.abort() };
    await expect(relaxProgram(host(shift, 64, 2), options)).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
  });
});
