import { join } from 'node:path';
import { buildReport } from '@nccl-ts/findings';
import { afterEach, expect, test, vi } from 'vitest';
import { runCommandLine } from '../src/command-line.ts';
import type { Heartbeat } from '../src/output/heartbeat.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Keeps what a command says. */
function recorded(said: string[]): (doing: string) => Heartbeat {
  return (doing) => {
    said.push(doing);
    return {
      doing: (text) => void said.push(text),
      clear: () => void said.push('cleared'),
      limit: (seconds) => void said.push(`limit ${Math.round(seconds)}`),
      [Symbol.dispose]: () => void said.push('disposed'),
    };
  };
}

test('a check says what it does and its time limit, and prints nothing of that on stdout', async () => {
  const said: string[] = [];
  let out = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const file = join(import.meta.dirname, 'fixtures', 'host.ts');
  await runCommandLine(
    ['node', 'nccl-ts', 'check', file, '--json', '--time', '7'],
    async ({ onPhase }) => {
      onPhase?.('schedule 3 of 15, pct');
      return buildReport({ runs: [], proves: { kind: 'all schedules', count: 1 } });
    },
    recorded(said),
  );
  expect(said).toEqual([
    expect.stringMatching(/^reading .*host\.ts$/),
    'limit 7',
    'limit 7',
    'checking',
    'checking: schedule 3 of 15, pct',
    'cleared',
    'disposed',
  ]);
  expect(JSON.parse(out)).toMatchObject({ verdict: 'clean' });
});
