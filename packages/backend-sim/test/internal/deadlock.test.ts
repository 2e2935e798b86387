import { isNcclError, type NcclError } from '@nccl-ts/core';
import type { DevCommHandle, KernelArg } from '@nccl-ts/transport';
import { describe, expect, it } from 'vitest';

import { DeadlockError } from '@nccl-ts/findings';
import { devCommValue, lsaBarrier, StubWorld, windowArg, windowValue, wordAt, type StubKernel } from './stub.ts';

const text = `({ lsa, coopCta, blockIdx }, { comm }) => {
  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
  bar.sync(coopCta(), 'acquire');
  bar.sync(coopCta(), 'release');
}`;

function spanOf(piece: string): { readonly source: number; readonly start: number; readonly end: number } {
  const start = text.indexOf(piece);
  return { source: 0, start, end: start + piece.length };
}

const sites = [
  { span: spanOf(`bar.sync(coopCta(), 'acquire')`), what: 'wait' },
  { span: spanOf(`bar.sync(coopCta(), 'release')`), what: 'wait' },
];

const meets: StubKernel = {
  name: 'meets',
  text,
  sites,
  *body(thread) {
    const comm = devCommValue(thread.args);
    yield* lsaBarrier(thread, comm, thread.cta.blockIdx.x, 0);
    yield* lsaBarrier(thread, comm, thread.cta.blockIdx.x, 1);
  },
};

function commArg(devComm: DevCommHandle): KernelArg {
  return { kind: 'devComm', devComm };
}

async function caught(promise: Promise<unknown>): Promise<NcclError> {
  try {
    await promise;
  } catch (error) {
    if (isNcclError(error)) return error;
  }
  throw new Error('no NcclError was thrown');
}

/**
 * Runs a host program for each rank, and reports its state to the world, as the layer above does.
 */
async function hosts(
  stub: StubWorld,
  body: (rank: number, wait: <T>(p: Promise<T>) => Promise<T>) => Promise<void>,
): Promise<void> {
  await Promise.all(
    stub.world.localRanks.map(async (rank) => {
      stub.world.setHostState(rank, 'running');
      const wait = async <T>(promise: Promise<T>): Promise<T> => {
        stub.world.setHostState(rank, 'waiting');
        try {
          return await promise;
        } finally {
          stub.world.setHostState(rank, 'running');
        }
      };
      await body(rank, wait);
      stub.world.setHostState(rank, 'done');
    }),
  );
}

describe('a deadlock', () => {
  it('names the rank that launched nothing', async () => {
    const stub = new StubWorld({ ranks: 4 });
    const streams = await stub.streams();
    const devComm = await stub.devComm({ lsaBarrierCount: 8 });
    const errors: NcclError[] = [];
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (rank === 3 || stream === undefined) return;
      await stub.launch(meets, stream, { grid: 8, args: [commArg(devComm)] });
      errors.push(await caught(wait(stub.world.synchronize(stream))));
    });
    expect(errors.map((error) => error.code)).toEqual(Array.from({ length: 3 }, () => 'NCCLTS_DEADLOCK'));
    expect(new Set(errors).size).toBe(1);
    expect(stub.stalls).toEqual([errors[0]]);
    expect(errors[0]?.message).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
       --> kernel meets (captured text):3:3
        |
      3 |   bar.sync(coopCta(), 'acquire');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets: ranks 0-2, CTAs 0-7, threads 0-3, waiting
        |
        = note: LSA barriers 0-7, inbox of LSA peer 3 (rank 3): waits for 1 (rolling, 32 bits), is 0 (u32)
        = help: rank 3 has not arrived at LSA barrier 0: it has launched no kernel. All ranks of the team must come to it, with the same index, equally often
        |
        = missing: rank 3: no kernel launched; host program done; awaited by ranks 0-2"
    `);
    const [error] = errors;
    if (!(error instanceof DeadlockError)) throw new Error('no report');
    expect(error.report.waiting).toHaveLength(24);
    expect(error.report.waiting[0]).toMatchObject({
      kernel: 'meets',
      rank: 0,
      cta: 0,
      threads: [0, 1, 2, 3],
      kind: 'waitAll',
      place: { line: 3, column: 3 },
      words: [{ value: 0, type: 'u32', place: { kind: 'lsaInbox', index: 0, peer: 3, peerRank: 3, rank: 0 } }],
    });
    expect(error.report.missing).toEqual([{ rank: 3, reason: 'neverLaunched', host: 'done', awaitedBy: [0, 1, 2] }]);
    expect(error.details['missing']).toEqual(error.report.missing);
  });

  it('lists the printed lines of stuck streams, by rank', async () => {
    const stub = new StubWorld({ ranks: 3 });
    const streams = await stub.streams();
    const errors: NcclError[] = [];
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (stream === undefined) throw new Error('no stream');
      const kernel: StubKernel = {
        name: `prints on ${rank}`,
        *body({ host, cta }) {
          for (let i = 0; i < 3 - rank; i++) yield 'yield';
          host.print(cta, rank, ['here']);
          if (rank !== 1) yield { until: () => false };
        },
      };
      await stub.launch(kernel, stream);
      if (rank !== 1) errors.push(await caught(wait(stub.world.synchronize(stream))));
      else expect((await wait(stub.world.synchronize(stream))).printed).toEqual(['[rank 1 cta 0 thread 1] here']);
    });
    expect(errors).toHaveLength(2);
    for (const error of errors) {
      if (!(error instanceof DeadlockError)) throw new Error('no report');
      expect(error.printed).toEqual(['[rank 0 cta 0 thread 0] here', '[rank 2 cta 0 thread 2] here']);
    }
    for (const stream of streams) expect((await stub.world.synchronize(stream)).printed).toEqual([]);
  });

  it('names ranks whose kernel has ended, and leaves out the other LSA team', async () => {
    const stub = new StubWorld({ ranks: 4, lsaSize: 2 });
    const streams = await stub.streams();
    const devComm = await stub.devComm({ lsaBarrierCount: 1 });
    const once: StubKernel = {
      ...meets,
      name: 'once',
      *body(thread) {
        const comm = devCommValue(thread.args);
        yield* lsaBarrier(thread, comm, 0, 0);
        if (thread.cta.rank === 2) yield* lsaBarrier(thread, comm, 0, 1);
      },
    };
    let error: NcclError | undefined;
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (stream === undefined) return;
      await stub.launch(once, stream, { args: [commArg(devComm)] });
      const ended = wait(stub.world.synchronize(stream));
      if (rank === 2) error = await caught(ended);
      else await ended;
    });
    expect(error?.message).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
       --> kernel once (captured text):4:3
        |
      4 |   bar.sync(coopCta(), 'release');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel once: rank 2, CTA 0, threads 0-3, waiting
        |
        = note: LSA barrier 0, inbox of LSA peer 1 (rank 3): waits for 2 (rolling, 32 bits), is 1 (u32)
        = help: rank 3 has not arrived at LSA barrier 0: it has ended its kernel. All ranks of the team must come to it, with the same index, equally often
        |
        = missing: rank 3: no kernel running, the last one (once) has ended; host program done; awaited by rank 2"
    `);
  });

  it('shows a cycle of ranks that wait for one another', async () => {
    const stub = new StubWorld({ ranks: 2 });
    const streams = await stub.streams();
    const devComm = await stub.devComm({ lsaBarrierCount: 2 });
    const crossed: StubKernel = {
      ...meets,
      name: 'crossed',
      *body(thread) {
        const comm = devCommValue(thread.args);
        yield* lsaBarrier(thread, comm, thread.cta.rank, 0);
        yield* lsaBarrier(thread, comm, 1 - thread.cta.rank, 1);
      },
    };
    const errors: NcclError[] = [];
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (stream === undefined) return;
      await stub.launch(crossed, stream, { args: [commArg(devComm)] });
      errors.push(await caught(wait(stub.world.synchronize(stream))));
    });
    expect(errors).toHaveLength(2);
    expect(errors[0]?.message).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
       --> kernel crossed (captured text):3:3
        |
      3 |   bar.sync(coopCta(), 'acquire');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel crossed: rank 0, CTA 0, threads 0-3, waiting
        |
        = note: LSA barrier 0, inbox of LSA peer 1 (rank 1): waits for 1 (rolling, 32 bits), is 0 (u32)
        = note: kernel crossed: rank 1, CTA 0, threads 0-3, waiting
        = note: LSA barrier 1, inbox of LSA peer 0 (rank 0): waits for 1 (rolling, 32 bits), is 0 (u32)
        = help: rank 1 has not arrived at LSA barrier 0: it waits in LSA barrier 1 at 3:3. All ranks of the team must come to it, with the same index, equally often
        |
        = missing: rank 0: waiting elsewhere, in kernel crossed; host program waiting; awaited by rank 1
        = missing: rank 1: waiting elsewhere, in kernel crossed; host program waiting; awaited by rank 0"
    `);
  });

  it('shows the call in the kernel if the wait is in a device function', async () => {
    const stub = new StubWorld({ ranks: 2 });
    const streams = await stub.streams();
    const devComm = await stub.devComm({ lsaBarrierCount: 1 });
    const inlined = sites.map((site) => ({ ...site, span: { source: 1, start: 4, end: 11, inlinedAt: site.span } }));
    const kernel: StubKernel = { ...meets, sites: inlined, library: 'x;\n  waitAll(y);' };
    let error: NcclError | undefined;
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (rank === 1 || stream === undefined) return;
      await stub.launch(kernel, stream, { args: [commArg(devComm)] });
      error = await caught(wait(stub.world.synchronize(stream)));
    });
    expect(error?.message).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
       --> kernel meets (captured text):3:3
        |
      3 |   bar.sync(coopCta(), 'acquire');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets: rank 0, CTA 0, threads 0-3, waiting
        |
        = note: LSA barrier 0, inbox of LSA peer 1 (rank 1): waits for 1 (rolling, 32 bits), is 0 (u32)
        = help: rank 1 has not arrived at LSA barrier 0: it has launched no kernel. All ranks of the team must come to it, with the same index, equally often
        = note: 3:3 leads to library:2:2
        |
        = missing: rank 1: no kernel launched; host program done; awaited by rank 0"
    `);
  });

  it('names CTAs that have no room, and the launches that wait for them', async () => {
    const stub = new StubWorld({ ranks: 2, residentCtas: 2 });
    const streams = await stub.streams();
    const { window } = await stub.window(64);
    const counts: StubKernel = {
      name: 'counts',
      *body({ host, args, cta }) {
        const at = wordAt(windowValue(args), cta.rank, 0);
        host.heap.u32[at] = (host.heap.u32[at] ?? 0) + 1;
        const needed = cta.gridDim.x;
        yield {
          until: () => (host.heap.u32[at] ?? 0) >= needed,
          waiting: () => [
            {
              site: 0,
              kind: 'wait',
              threads: [0],
              words: [
                {
                  address: at * 4,
                  region: windowValue(args).firstRegion + cta.rank,
                  space: 'global',
                  type: 'u32',
                  value: host.heap.u32[at] ?? 0,
                },
              ],
              needed: `>= ${needed}`,
            },
          ],
        };
      },
    };
    let error: NcclError | undefined;
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (rank === 0 || stream === undefined) return;
      await stub.launch(counts, stream, { grid: 3, args: [windowArg(window)] });
      await stub.launch(counts, stream, { grid: 1, args: [windowArg(window)] });
      error = await caught(wait(stub.world.synchronize(stream)));
    });
    expect(error?.message).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
        = note: kernel counts: rank 1, CTAs 0-1, thread 0, waiting
        = note: window 0, byte 0 of rank 1's copy: waits for >= 3, is 2 (u32)
        = note: no thread has changed it at rank 1
        = note: kernel counts: rank 1, 1 of 3 CTAs have not started, because the device holds only 2 at once
        = help: a CTA that has not started can come to no barrier and write no flag: launch no more CTAs than the device holds, and cooperatively, which checks that
        = note: 1 launch waits behind them on the streams of rank 1
        = missing: rank 0: no kernel launched; host program done"
    `);
  });

  it("names the missing rank's fault as its cause", async () => {
    const stub = new StubWorld({ ranks: 2 });
    const streams = await stub.streams();
    const devComm = await stub.devComm({ lsaBarrierCount: 1 });
    const breaks: StubKernel = {
      ...meets,
      name: 'breaks',
      *body(thread) {
        if (thread.cta.rank === 0) thread.host.fault(thread.cta, { kind: 'assert', site: 0, thread: 1, message: 'no' });
        yield* lsaBarrier(thread, devCommValue(thread.args), 0, 0);
      },
    };
    const errors: NcclError[] = [];
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (stream === undefined) return;
      await stub.launch(breaks, stream, { args: [commArg(devComm)] });
      errors[rank] = await caught(wait(stub.world.synchronize(stream)));
    });
    expect(errors.map((error) => error.code)).toEqual(['NCCLTS_FAULT', 'NCCLTS_DEADLOCK']);
    expect(errors[1]?.cause).toBe(errors[0]);
    expect(errors[1]?.message).toContain(
      'missing: rank 0: no kernel running, the last one (breaks) has failed: assertion failed: no',
    );
  });

  it('leaves the world usable', async () => {
    const stub = new StubWorld({ ranks: 2 });
    const streams = await stub.streams();
    const devComm = await stub.devComm({ lsaBarrierCount: 1 });
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (rank === 1 || stream === undefined) return;
      await stub.launch(meets, stream, { args: [commArg(devComm)] });
      await caught(wait(stub.world.synchronize(stream)));
    });
    const fresh = await stub.devComm({ lsaBarrierCount: 1 });
    await hosts(stub, async (rank, wait) => {
      const stream = streams[rank];
      if (stream === undefined) return;
      await stub.launch(meets, stream, { args: [commArg(fresh)] });
      expect((await wait(stub.world.synchronize(stream))).launches).toBe(1);
    });
    expect(stub.stalls).toHaveLength(1);
    await stub.world[Symbol.asyncDispose]();
  });
});

describe('a stall', () => {
  it('without kernels is reported without an error, once', async () => {
    const stub = new StubWorld({ ranks: 2 });
    stub.world.setHostState(0, 'waiting');
    stub.world.setHostState(1, 'done');
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(stub.stalls).toEqual([undefined]);
  });
});
