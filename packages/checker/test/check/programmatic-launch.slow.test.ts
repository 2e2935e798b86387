import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';
import { hosts, verdictsOf } from './every-engine.ts';
import { produce, consume, idle, launches } from './support/early-launches.ts';
import './programmatic-launch.test.ts';

describe('a launch that may begin before the previous one has ended', () => {
  it('a launch after one that has not waited is not ordered after the first launch', async () => {
    const third = (second: typeof idle) =>
      launches([{ kernel: produce('before') }, { kernel: second, early: true }, { kernel: consume('never') }]);
    expect(await verdictsOf({ ranks: 1 }, third(idle))).toEqual(['race']);
    const waits = kernel({ name: 'waits', use: { lsa }, params: { win: window } }, ({ gridDependencySync }) =>
      gridDependencySync(),
    );
    expect(await verdictsOf({ ranks: 1 }, third(waits))).toEqual(['clean']);
  });

  it('waits in a chain of early launches make earlier writes visible', async () => {
    const chain = launches([
      { kernel: produce('before') },
      { kernel: produce('before', true), early: true },
      { kernel: consume('before'), early: true },
    ]);
    expect(await verdictsOf({ ranks: 1 }, chain)).toEqual(['clean']);
    const broken = launches([{ kernel: produce('before') }, { kernel: produce('before', false, 8), early: true }]);
    expect(await verdictsOf({ ranks: 1 }, broken)).toEqual(['race']);
  });

  it('a host that has synchronized is ordered after all launches, even unawaited ones', async () => {
    const program = hosts(async (comm) => {
      const win = await comm.allocWindow('u32', 32);
      await comm.launch(produce('before'), { grid: 1, block: 2 }, { win });
      await comm.launch(idle, { grid: 1, block: 1, attributes: { programmaticStreamSerialization: true } }, { win });
      await comm.synchronize();
      await win.read();
      await comm.launch(
        consume('never'),
        { grid: 1, block: 2, attributes: { programmaticStreamSerialization: true } },
        { win },
      );
      await comm.synchronize();
    });
    expect(await verdictsOf({ ranks: 1 }, program)).toEqual(['clean']);
  });
});
