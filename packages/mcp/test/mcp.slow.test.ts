import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { barrier, build, call, connected, shift, TemporaryFolder } from './support.ts';
import './mcp.test.ts';

// The machine may be busy.
const timeout = 240_000;
let client: Client;
const temporary = new TemporaryFolder();
const { TMPDIR } = process.env;
beforeAll(async () => {
  process.env['TMPDIR'] = temporary.environment['TMPDIR'];
  build();
  client = await connected();
}, timeout);
afterAll(async () => {
  await client.close();
  temporary.remove();
  // Other files may run in this process.
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
});

const fixtures = join(import.meta.dirname, '../../../apps/cli/test/fixtures/cuda');
const ptx = readFileSync(join(fixtures, 'all-reduce.ptx'), 'utf8');
const launch = readFileSync(join(fixtures, 'launch.ts'), 'utf8').replace('all-reduce.ptx', 'kernel.ptx');

describe('the tools', () => {
  test('a check of the mended kernel is clean, and its report is JSON if it is asked for', { timeout }, async () => {
    const { text, exitCode } = await call(client, 'check', { program: shift(barrier), ranks: [2], json: true });
    expect(exitCode).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ verdict: 'clean', findings: [] });
  });

  test('check a PTX text, and return a first launch if there is none', { timeout }, async () => {
    const first = await call(client, 'check', { ptx });
    expect(first.isError).toBe(false);
    expect(first.text).toContain('export default harness({');
    const checked = await call(client, 'check', { ptx, launch });
    expect(checked.text).toMatch(/^error\[race\]|\nclean: /m);
    expect(checked.isError).toBe(false);
  });

  test('compile only, and report a code', { timeout }, async () => {
    const compiled = await call(client, 'check', { program: shift('Math.sqrt(2);'), compileOnly: true });
    expect(compiled).toMatchObject({ exitCode: 1, isError: false });
    const [code] = /K\d{4}/.exec(compiled.text) ?? [];
    expect((await call(client, 'explain', { code })).text).toContain(code);
    expect((await call(client, 'explain', {})).text).toContain('NCCLTS_DEADLOCK');
    expect(await call(client, 'explain', { code: 'K9999' })).toMatchObject({ isError: true, exitCode: 2 });
  });

  test('launch a named kernel with arguments', { timeout }, async () => {
    const checked = await call(client, 'check', {
      program: shift(barrier),
      kernel: 'shift',
      args: { count: 16 },
      ranks: [2],
      grid: 1,
    });
    expect(checked.text).toContain('shift on 2 ranks, 1 CTA x 32 threads');
    const missing = await call(client, 'check', { program: shift(barrier), kernel: 'shift' });
    expect(missing).toMatchObject({ isError: true, exitCode: 2, text: expect.stringContaining('--arg count=') });
  });

  test('emit code for each target, and predict times', { timeout }, async () => {
    for (const [target, words] of Object.entries({ ir: 'kernel', cuda: '__global__', wgsl: '@compute' })) {
      expect((await call(client, 'emit', { program: shift(barrier), target })).text).toContain(words);
    }
    const program = await call(client, 'predict', { program: shift(barrier), ranks: [2] });
    expect(program).toMatchObject({ isError: false, text: expect.stringMatching(/µs/) });
    const collective = await call(client, 'predict', { collective: 'allReduce', ranks: [2], json: true });
    expect(JSON.parse(collective.text)).toBeInstanceOf(Object);
  });

  test('end a program that takes too much memory', { timeout }, async () => {
    const limited = await connected({ memoryBytes: 200 * 2 ** 20 });
    const text =
      'const all = []; for (let i = 0; i < 4000; i++) { all.push(new Uint8Array(1 << 20).fill(1)); await 0; }';
    const ended = await call(limited, 'check', { program: text });
    expect(ended).toMatchObject({ isError: true, exitCode: null });
    expect(ended.text).toMatch(/limit of 200 MiB of memory|ended unexpectedly/);
    await limited.close();
  });
});

describe('a process of a call', () => {
  test('ends a program that does not end, in a process of its own', { timeout }, async () => {
    const client = await connected({ seconds: 4 });
    const stuck = await call(client, 'check', { program: 'for (;;);' });
    expect(stuck).toMatchObject({ isError: true, exitCode: null });
    expect(stuck.text).toContain('The call reached its limit of 4 s.');
    expect(temporary.entries()).toEqual([]);
  });

  test('gives programs no variables of the environment, and takes no harm from their end', { timeout }, async () => {
    process.env['MCP_TEST_TOKEN'] = 'secret';
    const client = await connected();
    const text = `console.error('token', process.env.MCP_TEST_TOKEN, process.cwd() !== ${JSON.stringify(process.cwd())}); process.exit(7);`;
    const ended = await call(client, 'check', { program: text });
    delete process.env['MCP_TEST_TOKEN'];
    expect(ended).toMatchObject({ isError: true, exitCode: 7 });
    expect(ended.text).toContain('token undefined true');
    expect((await call(client, 'explain', { code: 'K1005' })).text).toContain('K1005');
  });
});
