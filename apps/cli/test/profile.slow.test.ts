import { MACHINE_PROFILE } from '@nccl-ts/cost-model';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../src/command-line.ts';
import { measureProfile } from '../src/profile/measure-profile.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['--out machine.txt', '--machine reads profiles whose names end in .json'],
  ['--gpus 1', '1'],
])('profile %s is refused before anything is measured', async (line, reason) => {
  let told = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((told += String(text))));
  expect(await runCommandLine(['node', 'nccl-ts', 'profile', ...line.split(' ')])).not.toBe(0);
  expect(told).toContain(reason);
});

test('a measured profile has the form that predictions read', async () => {
  const amounts = { bytes: 1 << 20, rounds: 1, turns: 2, ctas: [1, 16], threads: 64, bytesPerCta: 4096 };
  const names: string[] = [];
  const profile = await measureProfile(
    async (ranks) => World.open({ backend: sim({ ranks }) }),
    { name: 'mine', gpu: 'none', gpus: 2, date: '2026-11-27' },
    { ...amounts, graph: 1, launches: 1 },
    ({ name }) => names.push(name),
  );
  expect(names).toContain('flag-trip');
  expect(profile).toMatchObject({ ...MACHINE_PROFILE, name: 'mine', how: 'measured' });
  // The times of a simulator's host are no machine's: only the form is compared.
  expect(profile).toHaveProperty(['parameters', 'nvlink.flagTrip', 'unit'], 'ns');
});
