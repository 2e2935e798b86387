import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from 'vitest';
import { build, fixtures } from './support/command.ts';

const timeout = 120_000;
beforeAll(build, timeout);

const program = JSON.stringify({
  format: 'nccl-ts/program',
  version: 1,
  local: true,
  texts: {
    put: {
      ptx: `.version 8.5
.target sm_90
.address_size 64
.visible .entry put(.param .u64 at)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at];
  st.global.u32 [%rd1], 7;
  ret;
}`,
    },
  },
  kernel: { text: 'put', entry: 'put', grid: 1, block: 1 },
  worlds: [{ ranks: 1, memory: [{ name: 'data', type: 'u32', count: 1 }], programs: [{ args: [{ memory: 'data' }] }] }],
});

test(
  'the command answers one request after the other, and ends with its input',
  async () => {
    const main = resolve(fixtures, '../../dist/main.js');
    const child = spawn(process.execPath, [main, '--serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (words: readonly string[], input = ''): Promise<unknown> => {
      const request = { words, folder: tmpdir(), variables: { PATH: process.env['PATH'] ?? '' }, input };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { value } = await lines.next();
      return JSON.parse(String(value));
    };
    const check = ['check', '-', '--json'];
    const first = await ask(check, program);
    expect(first).toMatchObject({ code: 0, out: expect.stringContaining('"verdict": "clean"') });
    expect(await ask(check, '{')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('NCCLTS_PROGRAM') });
    expect(await ask(['check', join(tmpdir(), 'none.json')])).toMatchObject({ code: 2, out: '' });
    expect(await ask(check, program)).toMatchObject({ code: 0, out: expect.stringContaining('clean') });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
  timeout,
);
