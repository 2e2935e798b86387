import { Communicator } from '@nccl-ts/communicator';
import { allCases, caseRuns, runCase, shapeName, type CaseId } from '@nccl-ts/conformance';
import { distributedWebgpu, type DistributedWebgpuOptions } from '@nccl-ts/webgpu-distributed';
import { afterAll, describe, expect, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { allReduce, answer, meets } from './support/kernels.ts';
import { scattered } from './support/scattered.ts';

// The ranks are in this thread, but do not know that. They find each other as those in workers and
// tabs do.
const acquired = noDevice === undefined ? [await openDevice(), await openDevice(), await openDevice()] : [];
const devices = acquired.map(({ device }) => device);
afterAll(() => {
  for (const device of acquired) device.dispose();
});

/** Returns the result of `program` on each rank, one for each of the options. */
async function onRanks<T>(
  options: readonly DistributedWebgpuOptions[],
  program: (comm: Communicator, backend: ReturnType<typeof distributedWebgpu>) => Promise<T>,
): Promise<readonly PromiseSettledResult<T>[]> {
  const backends = options.map((one) => distributedWebgpu(one));
  const [first] = backends;
  if (first === undefined) throw new Error('no ranks');
  const uniqueId = await Communicator.getUniqueId(first);
  return Promise.allSettled(
    backends.map(async (backend, rank) => {
      const comm = await Communicator.init({ backend, rank, nRanks: backends.length, uniqueId });
      try {
        return await program(comm, backend);
      } finally {
        await comm.close();
      }
    }),
  );
}

const failure = (result: PromiseSettledResult<unknown> | undefined): Promise<unknown> =>
  result?.status === 'rejected' ? Promise.reject(result.reason) : Promise.resolve(result);

const optionsOf = (ranks: number): readonly DistributedWebgpuOptions[] =>
  devices.slice(0, ranks).map((device) => ({ ranks, device }));

const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

const chosen: readonly (readonly [id: CaseId, ranks: readonly number[]])[] = [
  ['barriers/epochs/per-cta', [2]],
  ['barriers/order/seq-cst', [2]],
  ['atomics/tickets', [2]],
  ['windows/alloc-and-free', [2]],
  ['windows/device-pointer-parameters', [2]],
  ['windows/host-copies', [2]],
  ['windows/registered-memory', [2]],
  ['windows/stream-order', [2]],
  ['waiting/token-ring', [3]],
  ['checks/deadlock', [2]],
  ['checks/load-outside', [2]],
  ['checks/lonely-wait', [2]],
  ['checks/print', [2]],
];

const runs = chosen.flatMap(([id, ranks]) =>
  caseRuns(allCases.filter((one) => one.id === id)).filter(
    (run) => run.variant === 'plain' && ranks.includes(run.shape.ranks),
  ),
);

describe
  .skipIf(noDevice !== undefined)
  .concurrent(`the conformance suite with each rank in a separate process or worker${unlessDevice}`, () => {
    const rows = runs
      .filter(({ case: { id }, shape }) => `${id} on ${shapeName(shape)}` !== 'atomics/tickets on 2')
      .map((run) => [`${run.case.id} on ${shapeName(run.shape)} ranks`, run] as const);
    it.for(rows)('%s', async ([, run], { expect }) => {
      const { verdict, error } = await runCase(run, {
        backend: (shape) => scattered(shape, devices.slice(0, shape.ranks)),
      });
      expect(verdict.verdict, `${verdict.reason} ${String(error)}`).toBe('pass');
    });
  });

describe.skipIf(noDevice !== undefined)(`separate ranks of one world${unlessDevice}`, () => {
  it.each([1, 3])('%i of them sum', async (ranks) => {
    const length = 700;
    const sums = await onRanks(optionsOf(ranks), async (comm) => {
      const win = await comm.allocWindow('f32', length);
      await win.write(count(length).map((i) => i * (comm.rank + 1)));
      const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
      await comm.launch(allReduce, { grid: 2, block: 32 }, { comm: dev, win, offset: 0, count: length });
      return [...(await win.read())];
    });
    const times = (ranks * (ranks + 1)) / 2;
    for (const sum of sums) expect(sum).toEqual({ status: 'fulfilled', value: count(length).map((i) => i * times) });
  });

  it('report the same deadlock, with the source location', async () => {
    const outcomes = await onRanks(optionsOf(2), async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
      const args = { comm: dev, win, rounds: 2 + comm.rank, divisor: 1 };
      await comm.launch(meets, { grid: 1, block: 32 }, args);
      await comm.synchronize();
    });
    // Rank 0 has synchronized twice and ended. Rank 1 waits for it, and gets an error.
    expect(outcomes[0]?.status).toBe('fulfilled');
    const error = await expectCode(failure(outcomes[1]), 'NCCLTS_DEADLOCK');
    expect(error.message).toContain('kernels.ts:');
  });

  it('report a rank that never makes a collective call', async () => {
    const outcomes = await onRanks(optionsOf(2), async (comm) => {
      if (comm.rank === 1) await comm.createDevComm();
    });
    const error = await expectCode(failure(outcomes[1]), 'NCCLTS_DEADLOCK');
    expect(error.message).toContain('createDevComm cannot complete');
  });

  it('report ranks whose requests differ', async () => {
    const outcomes = await onRanks(optionsOf(2), async (comm) => {
      const wrong: unknown = await comm.allocWindow('u32', 4 * (comm.rank + 1)).catch((error: unknown) => error);
      const mixed: unknown = await (comm.rank === 0 ? comm.createDevComm() : comm.allocWindow('u32', 4)).catch(
        (error: unknown) => error,
      );
      return [wrong, mixed];
    });
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') throw outcome.reason;
      const [wrong, mixed] = outcome.value;
      await expectCode(Promise.reject(wrong), 'NCCL_INVALID_ARGUMENT');
      await expectCode(Promise.reject(mixed), 'NCCL_INVALID_USAGE');
    }
  });

  it('fail together if one device is lost', async () => {
    const own = [{ ranks: 2 }, { ranks: 2, device: (await openDevice()).device }];
    const outcomes = await onRanks(own, async (comm) => {
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
      if (comm.rank === 1) own[1]?.device?.destroy();
      await comm.synchronize();
    });
    for (const outcome of outcomes) await expectCode(failure(outcome), 'NCCLTS_WEBGPU_DEVICE_LOST');
  });

  it('end together if one of them aborts', async () => {
    const outcomes = await onRanks(optionsOf(2), async (comm) => {
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
      // Closing a world while it runs aborts it.
      if (comm.rank === 1) return;
      await comm.synchronize();
    });
    await expectCode(failure(outcomes[0]), 'NCCLTS_ABORTED');
  });

  it('report the error of rank 0', async () => {
    const [one, other] = optionsOf(2);
    if (one === undefined || other === undefined) throw new Error('no ranks');
    const uniqueId = await Communicator.getUniqueId(distributedWebgpu(one));
    const open = async (options: DistributedWebgpuOptions, rank: number): Promise<Communicator> =>
      Communicator.init({ backend: distributedWebgpu(options), rank, uniqueId });
    const leave = async (): Promise<void> => {
      const comm = await open(one, 0);
      await comm.allocWindow('u32', 4);
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      // Closing a world while it runs aborts it.
      await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
      await comm.close();
    };
    const gone = leave();
    const comm = await open(other, 1);
    const early = await comm.allocWindow('u32', 4);
    await comm.allocWindow('u32', 16);
    await comm.createDevComm();
    await gone;
    await expectCode(early.read(), 'NCCLTS_ABORTED');
    await comm.close();
  });

  it('cancel launches by a signal', async () => {
    const outcomes = await onRanks(optionsOf(2), async (comm) => {
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      const controller = new AbortController();
      await comm.launch(answer, { grid: 1, block: 32, signal: controller.signal }, { comm: dev, win, rounds: 1 });
      controller.abort(new Error('enough'));
      await comm.synchronize();
    });
    for (const outcome of outcomes) await expectCode(failure(outcome), 'NCCLTS_ABORTED');
  });
});
