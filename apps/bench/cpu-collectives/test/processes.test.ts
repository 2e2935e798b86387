import { afterEach, expect, test, vi } from 'vitest';
import { compile } from '../src/native-programs.ts';
import { endAll, onPath, run, type Running } from '../src/processes.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const node = (text: string): readonly string[] => [process.execPath, '-e', text];

test("a program's output, exit code and last lines are returned", async () => {
  expect(await run(node('console.log(1 + 1)'))).toMatchObject({ ok: true, stdout: '2\n' });
  const failed = await run(node('console.error("a\\nno such thing"); process.exit(3)'));
  expect(failed).toMatchObject({ ok: false, problem: 'exit code 3: a | no such thing' });
  expect(await run(node('console.log(process.env.COLOUR)'), { env: { COLOUR: 'blue' } })).toMatchObject({
    stdout: 'blue\n',
  });
  await expect(run(['/no/such/program'])).rejects.toThrow(expect.objectContaining({ code: 'NCCL_SYSTEM_ERROR' }));
});

test('a program is ended after its time limit, and on an abort', async () => {
  const forever = node('setInterval(() => {}, 1000)');
  expect(await run(forever, { timeoutMs: 1 })).toMatchObject({ ok: false, problem: 'it did not end within 0.001 s' });
  const running: Running = { groups: new Set() };
  const ended = run(forever, { running });
  expect(running.groups.size).toBe(1);
  endAll(running);
  expect(await ended).toMatchObject({ ok: false });
  expect(running.groups.size).toBe(0);
});

test('a missing compiler or mpirun is a value with an installation hint', async () => {
  vi.stubEnv('PATH', '/nowhere');
  expect(onPath('gcc')).toBe(false);
  expect(await compile('openMpi', '/nowhere')).toEqual({
    missing: 'no mpicc.openmpi (apt-get install openmpi-bin libopenmpi-dev)',
  });
  expect(await compile('sse2', '/nowhere')).toEqual({ missing: 'no gcc (apt-get install gcc)' });
});
