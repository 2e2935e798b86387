import { Communicator } from '@nccl-ts/communicator';
import { allCases, caseRuns, runCase, shapeName } from '@nccl-ts/conformance';
import { distributedWebgpu, type DistributedWebgpuOptions } from '@nccl-ts/webgpu-distributed';
import { afterAll, describe, expect, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { scattered } from './support/scattered.ts';

// The ranks are in this thread, but do not know that. They find each other as those in workers and
// tabs do.
const acquired = noDevice === undefined ? [await openDevice(), await openDevice(), await openDevice()] : [];
const devices = acquired.map(({ device }) => device);
afterAll(() => {
  for (const device of acquired) device.dispose();
});

const optionsOf = (ranks: number): readonly DistributedWebgpuOptions[] =>
  devices.slice(0, ranks).map((device) => ({ ranks, device }));

const [run] = caseRuns(allCases.filter(({ id }) => id === 'atomics/tickets')).filter(
  ({ variant, shape }) => variant === 'plain' && shapeName(shape) === '2',
);

describe
  .skipIf(noDevice !== undefined)
  .concurrent(`the conformance suite with each rank in a separate process or worker${unlessDevice}`, () => {
    it('atomics/tickets on 2 ranks', async ({ expect }) => {
      if (run === undefined) throw new Error('there is no such case');
      const { verdict, error } = await runCase(run, { backend: (shape) => scattered(shape, devices.slice(0, 2)) });
      expect(verdict.verdict, `${verdict.reason} ${String(error)}`).toBe('pass');
    });
  });

describe.skipIf(noDevice !== undefined)(`separate ranks of one world${unlessDevice}`, () => {
  it('get a different id each time', async () => {
    const backend = distributedWebgpu({ ranks: 2 });
    const [one, other] = [await Communicator.getUniqueId(backend), await Communicator.getUniqueId(backend)];
    expect(one).toHaveLength(128);
    expect(one).not.toEqual(other);
  });

  it('refuse options that do not fit together', async () => {
    const [one, other] = optionsOf(2);
    const uniqueId = await Communicator.getUniqueId(distributedWebgpu({ ranks: 2 }));
    const init = async (options: DistributedWebgpuOptions, rank: number, nRanks?: number): Promise<unknown> =>
      Communicator.init({
        backend: distributedWebgpu(options),
        rank,
        uniqueId,
        ...(nRanks === undefined ? {} : { nRanks }),
      });
    await expectCode(init({ ranks: 2 }, 0, 3), 'NCCL_INVALID_ARGUMENT');
    await expectCode(init({ ranks: 2, devices: 2 }, 0), 'NCCL_INVALID_ARGUMENT');
    await expectCode(init({ ranks: 2 }, 2), 'NCCL_INVALID_ARGUMENT');
    await expectCode(Communicator.init({ backend: distributedWebgpu({ ranks: 2 }), rank: 0 }), 'NCCL_INVALID_ARGUMENT');
    const [host, guest] = [init({ ...one, ranks: 2 }, 0), init({ ...other, ranks: 2, fuel: 7 }, 1)];
    const error = await expectCode(host, 'NCCL_INVALID_ARGUMENT');
    expect(error.message).toContain('fuel 4194304 / 7');
    expect((await expectCode(guest, 'NCCL_INVALID_ARGUMENT')).message).toBe(error.message);
  });
});
