import { checkChromeTrace } from '@nccl-ts/timeline';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import type { HelpJson } from '../src/help/help-json.ts';
import { build, ncclTs, served } from './support/command.ts';
import { requireAdapter } from './support/require-adapter.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

// The machine may be busy.
const timeout = 60_000;

beforeAll(build, timeout);

/** Errors that need the module. `misuse.test.ts` has the errors of the command line alone. */
const misuses: readonly (readonly [string, string, RegExp])[] = [
  ['a module without kernels', 'run no-kernel.ts', /no-kernel\.ts exports no kernel/],
  ['a host to emit', 'emit host.ts', /host\.ts exports no kernel/],
  ['an unknown kernel', 'run mistakes.ts -k nix', /--kernel nix: there is no such kernel.*exports strays, wrong/],
  ['a choice not made', 'run mistakes.ts', /choose one with --kernel: strays, wrong/],
  ['a missing value', 'run sums.ts', /needs a value for 'count' \(u32\): --arg count=/],
  ['an unknown parameter', 'run sums.ts -a count=1 -a x=1', /--arg x: kernel 'sums' takes no value of that name/],
  ['a window as a value', 'run sums.ts -a count=1 -a win=1', /--arg win: .*it takes count/],
  ['a value out of range', 'run sums.ts -a count=-1', /from 0 to 4294967295 \(u32\); given "-1"/],
  ['an argument for a host', 'run host.ts -a count=1', /--arg is for a kernel's parameters/],
];

/** The quick tests have one of three. */
const isNow = (_: unknown, i: number): boolean => (i % 3 === 0) !== inject('slow');

describe('misuse', () => {
  test.concurrent.for(misuses.filter(isNow))(
    'a wrong command line exits with 2 and says why: %s',
    { timeout },
    async ([, line, message], { expect }) => {
      const { code, stdout, stderr } = await served(line.split(' '));
      expect(stderr).toMatch(message);
      expect(stdout).toBe('');
      expect(code).toBe(2);
    },
  );
});

describe('help', () => {
  test.concurrent.for([
    '--help',
    'run --help',
    'check --help',
    'emit --help',
    'predict --help',
    'tune --help',
    'doctor --help',
  ])('%s', { timeout }, async (line, { expect }) => {
    const { code, stdout, stderr } = await served(line.split(' '));
    await expect(stdout).toMatchFileSnapshot(`snapshots/${line.replace('--', '').replace(' ', '-')}.txt`);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent('--help --json has the commands and options of the text', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await served(['--help', '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const help: HelpJson = JSON.parse(stdout);
    expect(Object.keys(help)).toEqual(['format', 'name', 'version', 'description', 'exitCodes', 'commands']);
    expect(help).toMatchObject({ format: 1, name: 'nccl-ts', exitCodes: { 3: 'a check reached a bound' } });
    const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
    const all = oneLine((await served(['--help'])).stdout);
    expect(help.commands.length).toBeGreaterThan(10);
    for (const command of help.commands) {
      expect(Object.keys(command)).toEqual(['name', 'description', 'usage', 'arguments', 'options', 'notes']);
      expect(all).toContain(` ${command.name} `);
      const text = oneLine((await served([command.name, '--help'])).stdout);
      expect(text).toContain(`Usage: ${command.usage} ${command.description}`);
      expect(text).toContain(oneLine(command.notes));
      // Two columns break descriptions, so only the names are compared.
      const words = [...text.matchAll(/ (--[a-z][\w-]*)(?= )/g)].map(([, word]) => word);
      for (const { long } of command.options) expect(words, command.name).toContain(long);
      for (const one of command.arguments) expect(text).toContain(` ${one.name} `);
    }
    const check = help.commands.find(({ name }) => name === 'check');
    expect(check?.arguments).toMatchObject([{ name: 'files', isRequired: true, isVariadic: true }]);
    expect(check?.options).toContainEqual({
      long: '--strategy',
      description: 'how schedules are chosen',
      value: '<name>',
      choices: ['auto', 'random', 'pct', 'late', 'hasty'],
      default: 'auto',
    });
    expect(check?.options).toContainEqual(
      expect.objectContaining({ short: '-a', value: '<name=value>', default: 'none' }),
    );
    expect(check?.options.find(({ long }) => long === '--json')).not.toHaveProperty('value');
  });

  test.concurrent('--help --json of one command has only that one', { timeout }, async ({ expect }) => {
    const [first, second] = [await served(['emit', '--help', '--json']), await served(['help', 'emit', '--json'])];
    const help: HelpJson = JSON.parse(first.stdout);
    expect(help.commands.map(({ name }) => name)).toEqual(['emit']);
    expect(second.stdout).toBe(first.stdout);
    expect(await served(['nix', '--json'])).toMatchObject({ code: 2, stderr: expect.stringContaining('nix') });
  });

  test.concurrent('--version prints the version', { timeout }, async ({ expect }) => {
    const { code, stdout } = await ncclTs(['--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  });
});

describe('run', () => {
  test.concurrent.for(slow)('writes a timeline', { timeout }, async (_, { expect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-trace-'));
    try {
      const line = 'run sums.ts -n 2 -g 2 -b 32 --bytes 4K -a count=1000 --trace'.split(' ');
      const json = await served([...line, join(folder, 'trace.json')]);
      expect(json.stderr).toBe('');
      expect(json.stdout).toMatch(/\n {2}simulated: sums took [\d.]+ µs, from 4 µs on\n/);
      expect(checkChromeTrace(JSON.parse(readFileSync(join(folder, 'trace.json'), 'utf8')))).toEqual([]);
      const svg = await served([...line, join(folder, 'picture.svg')]);
      expect(svg.code).toBe(0);
      expect(readFileSync(join(folder, 'picture.svg'), 'utf8')).toMatch(/^<svg .*bar\.sync/s);
      const nowhere = await served([...line, join(folder, 'nowhere', 'trace.json')]);
      expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/ENOENT/) });
      const stuck = await served(['run', 'waits.ts', '-n', '2', '-g', '1', '--trace', join(folder, 'stuck.json')]);
      expect(stuck).toMatchObject({ code: 1, stderr: expect.stringMatching(/deadlock/) });
      expect(readFileSync(join(folder, 'stuck.json'), 'utf8')).toMatch(/"unfinished":true/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.concurrent('prints the contents of windows', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await ncclTs('run sums.ts -n 2 -g 2 -b 32 --bytes 4K -a count=1000'.split(' '));
    expect(stdout.replace(/in \d+\.\d ms/, 'in N ms')).toBe(
      [
        'sums on 2 ranks, 2 CTAs x 32 threads: done in N ms',
        '  the windows after the launch; before it, floats were a ramp and integers 0, or as --fill says:',
        // 2 (r + i mod 17 / 16) + 1 below 1000. The last 24 elements are unchanged.
        `  rank 0: win sum ${expectedSum(0)}  [1, 1.125, 1.25, 1.375, ...]`,
        `  rank 1: win sum ${expectedSum(1)}  [1, 1.125, 1.25, 1.375, ...]`,
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent.for(slow)(
    'a default export that is a function is run for every rank',
    { timeout },
    async (_, { expect }) => {
      const { code, stdout, stderr } = await served('run default-program.ts -n 2 --json'.split(' '));
      expect(stderr).toBe('');
      expect(stdout).toContain('"host"');
      expect(code).toBe(0);
      const checked = await served('check default-program.ts -n 2 --local'.split(' '));
      expect(checked.code).toBe(0);
    },
  );

  test.concurrent("prints the host program's results as JSON", { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await served('run host.ts -n 2 -b 8 --show 3 --json'.split(' '));
    expect(JSON.parse(stdout)).toEqual({
      program: 'host',
      name: 'host',
      ranOn: { backend: 'sim', seed: 1 },
      ranks: 2,
      lsaSize: 2,
      grid: 16,
      block: 8,
      results: [
        { rank: 0, milliseconds: expect.any(Number), value: { length: 8, first: [0, 1, 2] }, printed: [], windows: {} },
        {
          rank: 1,
          milliseconds: expect.any(Number),
          value: { length: 8, first: [10, 11, 12] },
          printed: [],
          windows: {},
        },
      ],
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  // The output in pieces, because the wording belongs to the packages that find the mistake.
  const failures: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
    [
      'a kernel that does not compile',
      'run mistakes.ts -k wrong',
      [
        /^error\[NCCLTS_COMPILE\]: kernel 'wrong'.*2 errors\n/,
        '  --> mistakes.ts:12:',
        /12 \| {5}p\[threadIdx\.x\] = f32\(outside\);\n +\| {26}\^{7} /,
        /13 \| {5}p\[0\] = threadIdx\.x;\n +\| {12}\^{11} /,
      ],
    ],
    [
      'an access out of bounds',
      'run mistakes.ts -k strays -n 1 -g 1 -b 1 --bytes 4K -a at=1024',
      [
        /^error\[NCCLTS_OUT_OF_BOUNDS\]: /,
        'byte 4096 of window 0',
        'rank 0, CTA 0, thread 0',
        /mistakes\.ts:22:5\n +\|\n22 \| +p\[at\] = f32\(1\);\n +\| +\^{14} /,
      ],
    ],
    [
      'a fault after lines were printed',
      'run prints.ts -k thenFaults -n 1 -g 1 -b 1',
      [/^ {2}\[rank 0 cta 0 thread 0\] at 0\nerror\[NCCLTS_FAULT\]: assertion failed: never\n/],
    ],
    [
      'a deadlock after lines were printed',
      'run prints.ts -k thenWaits -n 2 -g 1 -b 1',
      [/^ {2}\[rank 0 cta 0 thread 0\] at 0\nerror\[NCCLTS_DEADLOCK\]: /],
    ],
    [
      'a deadlock',
      'run waits.ts -g 2 -b 32',
      [
        /^error\[NCCLTS_DEADLOCK\]: deadlock/,
        'kernel waits: ranks 0-2, CTAs 0-1',
        /waits\.ts:11:7\n +\|\n11 \| +bar\.sync\(coopCta\(\), 'acquire'\);\n +\| +\^{30}/,
        'missing: rank 3',
      ],
    ],
    [
      'a host program that throws',
      'run bad-host.ts',
      [/^error\[NCCL_INVALID_ARGUMENT\]: allocWindow: .*given -1\.\n/, /at host \(bad-host\.ts:5:35\)\n$/],
    ],
    ['a module that throws', 'run throws.ts', [/^error: this module does not load\n.*throws\.ts:1:7\)\n$/]],
    [
      'a module with a syntax error',
      'run syntax-error.ts',
      ['error: SyntaxError: Unexpected token at', ' syntax-error.ts:1:31'],
    ],
  ];
  test.concurrent.for(failures.filter(isNow))('fails for %s', { timeout }, async ([, line, pieces], { expect }) => {
    const { code, stdout, stderr } = await served(line.split(' '));
    for (const piece of pieces) expect(stderr).toMatch(piece);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  test.concurrent.for(slow)('exits with the exit code of a failure', { timeout }, async (_, { expect }) => {
    const failed = await ncclTs('run prints.ts thenFaults -n 1 -g 1 -b 1'.split(' '));
    expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^error\[NCCLTS_FAULT\]: /m) });
    const misused = await ncclTs('run nowhere.ts'.split(' '));
    expect(misused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/no such file: nowhere/) });
  });
});

describe('run --backend webgpu', () => {
  test('prints the contents of windows, and the GPU', { timeout }, async ({ skip }) => {
    await requireAdapter(skip);
    const line = 'run sums.ts --backend webgpu -n 2 -g 2 -b 32 --bytes 4K -a count=1000';
    const { code, stdout, stderr } = await served(line.split(' '));
    expect(stderr).toBe('');
    const [head, , ...ranks] = stdout.split('\n');
    expect(head).toMatch(/^sums on 2 ranks, 2 CTAs x 32 threads, WebGPU on \S.*: done in \d+\.\d ms$/);
    expect(ranks).toEqual([
      `  rank 0: win sum ${expectedSum(0)}  [1, 1.125, 1.25, 1.375, ...]`,
      `  rank 1: win sum ${expectedSum(1)}  [1, 1.125, 1.25, 1.375, ...]`,
      '',
    ]);
    expect(code).toBe(0);
  });
});

test('run --backend cuda names the parts that this machine lacks', { timeout }, async ({ skip }) => {
  const { stdout } = await served(['doctor', '--json']);
  const { cuda }: { readonly cuda: { readonly ok: boolean } } = JSON.parse(stdout);
  if (cuda.ok) skip('this machine lacks nothing');
  const outcome = await served('run sums.ts sums --backend cuda -a count=8'.split(' '));
  expect(outcome).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error\[NCCLTS_(CUDA|NCCL|KOFFI)_\w+\]: /),
  });
});

describe('emit', () => {
  test.concurrent('prints the IR', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await served('emit mistakes.ts -k strays'.split(' '));
    expect(stdout).toMatch(/^kernel strays\nparam \$0 win: Window\nparam \$1 at: u32\n(.*\n)*  store .*, 1:f32\n\}\n$/);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent.for(slow)('prints valid JavaScript', { timeout }, async (_, { expect }) => {
    const { code, stdout, stderr } = await served('emit sums.ts -t js -n 2 -b 64'.split(' '));
    // oxlint-disable-next-line typescript/no-implied-eval -- only parsed
    expect(() => new Function('host', 'args', 'support', 'strings', stdout)).not.toThrow();
    expect(stdout).toContain('64');
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test.concurrent.for(slow)('prints WGSL, with checks and without', { timeout }, async (_, { expect }) => {
    const [checked, plain] = await Promise.all(
      ['emit sums.ts -t wgsl -n 2 -b 64 --checks', 'emit sums.ts -t wgsl -n 2 -b 64 --no-checks'].map(async (line) =>
        served(line.split(' ')),
      ),
    );
    for (const outcome of [checked, plain]) {
      expect(outcome?.stdout).toContain('@compute @workgroup_size(64)');
      expect(outcome?.stderr).toBe('');
      expect(outcome?.code).toBe(0);
    }
    expect(plain?.stdout.length).toBeLessThan(checked?.stdout.length ?? 0);
  });

  test.concurrent('fails for a kernel that does not compile', { timeout }, async ({ expect }) => {
    const { code, stdout, stderr } = await served('emit mistakes.ts -k wrong'.split(' '));
    expect(stderr).toContain("'outside' is not defined inside the kernel");
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});

function expectedSum(rank: number): number {
  let sum = 0;
  for (let i = 0; i < 1024; i++) {
    const own = (r: number): number => r + (i % 17) / 16;
    sum += i < 1000 ? own(0) + own(1) : own(rank);
  }
  return sum;
}

describe('doctor', () => {
  test.concurrent('lists every requirement, met or not', { timeout }, async ({ expect }) => {
    // Drivers may write messages about the machine to stderr.
    const { code, stdout } = await served(['doctor', '--json']);
    const report: Readonly<Record<'cuda' | 'webgpu', { readonly items: readonly { readonly name: string }[] }>> =
      JSON.parse(stdout);
    expect(report.cuda.items.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['koffi', 'driver', 'toolkit', 'NCCL']),
    );
    expect(report.webgpu.items.map(({ name }) => name)).toEqual(['WebGPU', 'adapter', 'device']);
    expect(code).toBe(0);
  });

  test.concurrent.for(slow)('prints text, with a verdict on each backend', { timeout }, async (_, { expect }) => {
    const { code, stdout } = await served(['doctor']);
    expect(stdout).toMatch(/^(ok     |missing|skipped) koffi /m);
    expect(stdout).toMatch(/^(ok     |missing|skipped) WebGPU /m);
    expect(stdout.match(/^(CUDA|WebGPU): (worlds can be opened|no world can be opened)/gm)).toHaveLength(2);
    expect(code).toBe(0);
  });
});

describe('emit --target cuda', () => {
  test.concurrent('prints a translation unit for a C++ project', { timeout }, async ({ expect }) => {
    const { code, stdout } = await served('emit sums.ts --target cuda'.split(' '));
    await expect(stdout).toMatchFileSnapshot('snapshots/sums.cu');
    expect(code).toBe(0);
  });
});
