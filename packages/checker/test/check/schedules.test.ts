import { check } from '@nccl-ts/checker';
import { choicesText, parseChoices, sim, type Strategy } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { u32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { right, wrong } from './support/schedules.ts';

async function run(backend: ReturnType<typeof sim>, of: typeof right): Promise<void> {
  await using world = await World.open({ backend });
  await world.run(async (comm) => {
    const win = await comm.allocWindow(u32, 8);
    const out = await comm.allocWindow(u32, 1);
    const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
    await comm.launch(of, { grid: 1, block: 32 }, { comm: dev, win, out });
    await comm.synchronize();
  });
}

const strategies: readonly Strategy[] = ['random', 'pct', 'late'];

describe('strategies', () => {
  it.each(strategies)('%s finds a race, and none in a correct program', async (strategy) => {
    const clean = await check({ ranks: 3, strategy, schedules: 3 }, async (backend) => run(backend, right));
    expect(clean.verdict).toBe('clean');
    expect(clean.proves).toEqual({ kind: 'schedules', count: 3, strategy, seed: 1 });
    const racy = await check({ ranks: 3, strategy, schedules: 3 }, async (backend) => run(backend, wrong));
    expect(racy.verdict).toBe('race');
  });

  it.each(strategies)('the recorded choices of %s repeat its schedule', async (strategy) => {
    const { findings } = await check({ ranks: 3, strategy, seed: 5 }, async (backend) => run(backend, wrong));
    const replay = findings[0]?.schedule.choices;
    if (replay === undefined) throw new Error('The finding names no choices.');
    const again = await check({ ranks: 3, strategy: 'replay', seed: 5, replay }, async (backend) =>
      run(backend, wrong),
    );
    expect(again.findings[0]?.labels).toEqual(findings[0]?.labels);
    expect(again.findings[0]?.bytes).toEqual(findings[0]?.bytes);
  });

  it('a program that depends on more than the seed is reported', async () => {
    let runs = 0;
    const report = await check({ ranks: 2, strategy: 'random', schedules: 2 }, async (backend) => {
      await run(backend, right);
      if (++runs === 2) await run(backend, right);
    });
    expect(report.verdict).toBe('incomplete');
    expect(report.findings[0]?.message).toContain('two runs of one schedule differ');
  });
});

describe('choices as text', () => {
  it.each([
    [[], ''],
    [[0, 0, 0], ''],
    [[1, 0, 2], '1.0.2'],
    [[0, 0, 0, 35, 0, 0], '_3.z'],
    [[1261, 0, 0, 1], 'z1._2.1'],
  ])('%j is %j', (choices, text) => {
    expect(choicesText(choices)).toBe(text);
    const back = parseChoices(text);
    expect(back).toEqual(choices.slice(0, back.length));
    expect(choices.slice(back.length).every((choice) => choice === 0)).toBe(true);
  });

  it.each(['x:1', '1..2', '-1', '_', 'A'])('%j is not a list of choices', (text) => {
    expect(() => parseChoices(text)).toThrow(expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT' }));
  });
});

describe('options', () => {
  it('are validated', () => {
    expect(() => sim({ ranks: 2, strategy: 'replay', replay: 'q:1' })).toThrow('r:, p:, l: or h:');
    expect(() => sim({ ranks: 2, replay: 'r:1' })).toThrow('replay is for strategy replay');
    expect(() => sim({ ranks: 2, depth: 0 })).toThrow('depth');
    expect(() => sim({ ranks: 2 }).report()).toThrow('has not opened a world');
  });

  it('have no report without a check', async () => {
    const backend = sim({ ranks: 1 });
    await using world = await World.open({ backend });
    expect(world.nRanks).toBe(1);
    expect(() => backend.report()).toThrow("mode: 'check'");
  });
});
