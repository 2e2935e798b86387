import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { build, fixtures, served, type Outcome } from './support/command.ts';

// The machine may be busy.
const timeout = 240_000;

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-cuda-'));

beforeAll(() => {
  build();
  cpSync(join(fixtures, 'cuda'), folder, { recursive: true });
  symlinkSync(join(fixtures, '../../node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  // A compiler whose results were prepared in advance.
  writeFileSync(join(folder, 'nvcc'), '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "${3%.cu}.ptx" "$2"\n');
  chmodSync(join(folder, 'nvcc'), 0o755);
}, timeout);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function cuda(line: string): Promise<Outcome> {
  return served(line.split(' '), folder, { NCCLTS_NVCC: join(folder, 'nvcc') });
}

describe.skipIf(process.platform === 'win32')(
  'a CUDA C++ kernel (the compilers are shell scripts in this test)',
  () => {
    test.concurrent('runs with the launches of its harness', { timeout }, async ({ expect }) => {
      const { code, stdout, stderr } = await cuda('run launch.ts');
      expect(stderr).toBe('');
      expect(stdout).toMatch(/^allReduce.* on 2 ranks: done/);
      expect(code).toBe(0);
    });

    test.concurrent.for([
      'check launch.ts',
      'check all-reduce.ptx --harness launch.ts',
      'check all-reduce.cu --harness launch.ts',
    ])('is clean: %s', { timeout }, async (line, { expect }) => {
      const { code, stdout } = await cuda(line);
      expect(stdout).toMatch(/^allReduce.* on 2 ranks: checked in .*\n\nclean: /);
      expect(code).toBe(0);
    });

    test.concurrent('runs with warnings about facts that the harness leaves out', { timeout }, async ({ expect }) => {
      const text = readFileSync(join(folder, 'all-reduce.ptx'), 'utf8').replaceAll(/^\s*\.loc\s.*$/gm, '');
      writeFileSync(join(folder, 'weak.ptx'), text.replaceAll('ld.acquire.sys.global', 'ld.global'));
      const { stderr } = await cuda('run weak.ptx --harness launch.ts');
      expect(stderr).toMatch(/^warning\[P5002\]: .*\n +--> weak\.ptx:\d+:1$/m);
      expect(stderr).toMatch(/^warning\[P5001\]: a loop waits by ld\.global\.u32/m);
      const { stdout } = await cuda('ptx weak.ptx');
      expect(stdout).toMatch(/\n {2}supported\n {4}warning\[P5002\]: .*\n {5,}--> weak\.ptx:/);
      writeFileSync(join(folder, 'unknown.ptx'), text.replace('ld.acquire.sys.global', 'ld.nowhere.sys.global'));
      const { stdout: unknown } = await cuda('ptx unknown.ptx');
      expect(unknown).toMatch(/\n {2}not supported:\n[^]*error\[P2002\]: .*\n {5,}--> unknown\.ptx:\d+:\d+\n/);
    });

    test.concurrent('has a race at lines of the .cu if its flags do not release', { timeout }, async ({ expect }) => {
      const { code, stdout } = await cuda('check all-reduce-relaxed.cu --harness launch.ts --ranks 3');
      expect(stdout).toMatch(/on 3 ranks: /);
      expect(stdout).toMatch(/^error\[race\]: /m);
      expect(stdout).toMatch(/--> all-reduce-relaxed\.cu:\d+:\d+\n[^]*?\n\d+ \| .*sum \+= peers\.data\[r\]\[i\];/);
      expect(stdout).toContain("of 'data', rank");
      expect(code).toBe(1);
    });

    test.concurrent('accepts findings by --accept and by a comment', { timeout }, async ({ expect }) => {
      const { stdout: found } = await cuda('check all-reduce-relaxed.cu --harness launch.ts');
      const lines = [...found.matchAll(/^error\[race\][^]*?--> (all-reduce-relaxed\.cu:\d+)/gm)].map(
        ([, line]) => line,
      );
      const accept = lines.map((line) => `--accept ${line}:race`).join(' ');
      const accepted = await cuda(`check all-reduce-relaxed.cu --harness launch.ts ${accept}`);
      expect(accepted.stdout).toMatch(/accepted\[race\]: race at .*\n {2}by --accept all-reduce-relaxed\.cu:\d+:race/);
      expect(accepted.code).toBe(0);
    });

    test.concurrent('is listed with the requirements of its launch', { timeout }, async ({ expect }) => {
      const { code, stdout } = await cuda('ptx all-reduce.cu');
      expect(stdout).toMatch(
        /^allReduce\(Peers, float \*, float \*, int, int, int, unsigned\)\n {2}in the text: _Z9allReduce/,
      );
      expect(stdout).toContain('  7 parameters, 160 bytes');
      expect(stdout).toContain('    0: byte 0, a struct of 128 bytes, aligned to 8');
      expect(stdout).toContain('    1: byte 128, 8 bytes, a pointer');
      expect(stdout).toContain('    3: byte 144, 4 bytes, an integer');
      expect(stdout).toMatch(/\n {2}supported\n$/);
      expect(code).toBe(0);
    });

    test.concurrent('gets a first harness', { timeout }, async ({ expect }) => {
      const { code, stdout } = await cuda('ptx all-reduce.cu --write first.ts');
      expect(stdout).toBe('wrote first.ts: read it, then run nccl-ts check first.ts\n');
      expect(readFileSync(join(folder, 'first.ts'), 'utf8')).toContain('flags: array(ptr, 8),');
      expect(code).toBe(0);
      const again = await cuda('ptx all-reduce.cu --write first.ts');
      expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('--force writes over it') });
    });

    test.concurrent('is compiled against the stand-in headers on request', { timeout }, async ({ expect }) => {
      const { code, stdout } = await served(['include-path'], folder);
      expect(code).toBe(0);
      expect(stdout).toBe('<root>/packages/harness/include\n');
      expect(existsSync(join(fixtures, '../../../../packages/harness/include/nccl_device.h'))).toBe(true);
      // A compiler that reports its arguments.
      const teller = join(folder, 'tells', 'nvcc');
      mkdirSync(join(folder, 'tells'));
      writeFileSync(teller, '#!/bin/sh\necho "given: $@" >&2\nexit 1\n');
      chmodSync(teller, 0o755);
      const told = await served(['check', 'launch.ts', '--stand-in', '--', '-DX'], folder, { NCCLTS_NVCC: teller });
      expect(told.stderr).toContain(`-I ${stdout.trim()} -DX`);
      const launch = readFileSync(join(folder, 'launch.ts'), 'utf8').replace('all-reduce.ptx', 'all-reduce.cu');
      writeFileSync(join(folder, 'stand-in.ts'), launch.replace('harness({', 'harness({ standIn: true,'));
      const asked = await served(['check', 'stand-in.ts', '--', '-DX'], folder, { NCCLTS_NVCC: teller });
      expect(asked.stderr).toContain(`-I ${stdout.trim()} -DX`);
      expect(told.code).toBe(2);
    });

    test.concurrent.for([
      ['check all-reduce.cu', /all-reduce\.cu needs --harness FILE/],
      ['check launch.ts --grid 2', /--grid: the harness says how the kernel is launched/],
      ['check launch.ts --harness launch.ts', /--harness launch\.ts is for a \.cu or \.ptx file/],
      [
        'check all-reduce.cu --harness package.json',
        /--harness package\.json: its default export must be what harness/,
      ],
      [
        'check all-reduce.ptx --harness launch.ts -- -I x',
        /-I x: the words after -- are for the CUDA compiler, and .* is already compiled/,
      ],
      ['ptx all-reduce.cu none', /all-reduce\.cu has no kernel none/],
    ] as const)('is refused: %s', { timeout }, async ([line, message], { expect }) => {
      const { code, stdout, stderr } = await cuda(line);
      expect(stderr).toMatch(message);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    });
  },
);
