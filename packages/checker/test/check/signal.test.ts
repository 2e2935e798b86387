import { check, type CheckOptions } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, it } from 'vitest';

/** Ranks add to one word in any order, so no single run represents all. */
const adds = kernel({ name: 'adds', use: { lsa }, params: { comm: devComm, win: window } }, ({ lsa, u32 }, { win }) => {
  const old = lsa.pointer(win, u32, 0, 0).atomicAdd(0, 1, 'relaxed', 'system');
  lsa.localPointer(win, u32, 4).store(0, old);
});

async function checked(
  options: Partial<CheckOptions>,
  onRun: (count: number) => void = () => {},
): Promise<CheckReport> {
  let runs = 0;
  return check({ ranks: 2, strategy: 'random', schedules: 1000, ...options }, async (backend) => {
    const world = await World.open({ backend });
    try {
      await world.run(async (comm) => {
        const win = await comm.allocWindow('u32', 2);
        await win.write([0, 0]);
        const dev = await comm.createDevComm();
        await comm.launch(adds, { grid: 1, block: 1 }, { comm: dev, win });
        await comm.synchronize();
      });
    } finally {
      await world.close();
    }
    onRun(++runs);
  });
}

it('an aborted check ends after the current run, and its report says that it was stopped', async () => {
  const stop = new AbortController();
  let runs = 0;
  const report = await checked({ signal: stop.signal }, (count) => {
    runs = count;
    if (count === 3) stop.abort();
  });
  expect(runs).toBe(3);
  expect(report.verdict).toBe('incomplete');
  expect(report.proves).toMatchObject({ kind: 'nothing', bound: 'the check was stopped' });
});

it('an abort event is handled between the executions of an exploration', async () => {
  const stop = new AbortController();
  const options = { ranks: 6, strategy: 'exhaustive', bound: 100_000 } as const;
  let runs = 0;
  const onPhase = (phase: string): void => {
    if (phase.startsWith('executions')) setTimeout(() => stop.abort(), 0);
  };
  const report = await checked({ ...options, signal: stop.signal, onPhase }, (count) => {
    runs = count;
  });
  // There are 720 executions.
  expect(runs).toBeLessThan(400);
  expect(report.proves).toMatchObject({ kind: 'nothing', bound: 'the check was stopped' });
});

it('a check whose signal is already aborted runs no kernel to its end', async () => {
  const report = await checked({ signal: AbortSignal.abort(), strategy: 'auto' });
  expect([report.verdict, report.accesses]).toEqual(['incomplete', 0]);
});

it('a value that is not a signal is refused', async () => {
  // @ts-expect-error: a caller without types
  await expect(checked({ signal: 'stop' })).rejects.toThrow('signal must be an AbortSignal');
});
