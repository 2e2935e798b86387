import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { build, fixtures, ncclTs, served, stopServing, type Outcome } from './support/command.ts';

// The machine may be busy.
const timeout = 240_000;
const root = resolve(fixtures, '../../../..');
let folder = '';

beforeAll(async () => {
  build();
  folder = await mkdtemp(join(tmpdir(), 'nccl-ts-program-'));
}, timeout);
afterAll(async () => {
  stopServing();
  await rm(folder, { recursive: true, force: true });
});

/** A report without the name of the file that was checked. */
function reportOf({ stdout }: Outcome): unknown {
  const report: unknown = JSON.parse(stdout);
  if (typeof report === 'object' && report !== null) Reflect.deleteProperty(report, 'file');
  return report;
}

const museum = join(root, 'apps/examples/museum');
const exhibits = [
  'bulk-stage-reuse',
  'cleared-too-early',
  'fence-in-one-lane',
  'flag-in-graph',
  'fused-input-copy',
  'leaving-before-peers',
  'mixed-size-flags',
  'no-end-barrier',
  'signal-before-copy',
  'stage-without-fence',
  'stale-signal',
  'sum-of-two-nics',
  'two-streams',
];
const launches = [
  { folder: join(fixtures, 'launches'), args: ['list.launch.ts'] },
  {
    folder: join(root, 'packages/harness/test/fixtures'),
    args: ['all-reduce.ptx', '--harness', 'all-reduce.launch.ts'],
  },
  { folder: join(museum, 'no-end-barrier'), args: ['broken.ptx', '--harness', 'launch.ts'] },
  { folder: join(root, 'apps/examples/triton'), args: ['launch.ts'] },
  { folder: join(museum, 'grid-barrier'), args: ['broken.launch.ts', '--resident-ctas', '4'] },
  { folder: join(museum, 'grid-barrier'), args: ['mended.launch.ts', '--resident-ctas', '4'] },
  ...exhibits.flatMap((name) =>
    ['broken', 'mended'].map((one) => ({
      folder: join(museum, name),
      args: [`${one}.ptx`, '--harness', 'launch.ts'],
    })),
  ),
].map((one) => ({ ...one, title: `${one.folder.slice(root.length + 1)}: ${one.args.join(' ')}` }));

describe('a saved launch', () => {
  // The quick tests have one.
  test.each(launches.filter((_, i) => i < 1 !== inject('slow')))(
    'has the same report as the launch itself: $title',
    { timeout },
    async ({ folder: at, args }) => {
      const saved = join(folder, `${args.join('-').replaceAll(/[^\w-]/g, '')}-${at.replaceAll(/\W/g, '')}.json`);
      const [file = '', ...options] = args;
      const first = await served(['check', file, ...options, '--save', saved, '--json'], at);
      expect(first.stderr).toContain(`saved ${saved}`);
      const again = await served(
        ['check', saved, ...options.filter((one) => !/harness|\.ts$/.test(one)), '--json'],
        folder,
      );
      expect(reportOf(again)).toEqual(reportOf(first));
      expect(again.code).toBe(first.code);
    },
  );
});

describe('a program in JSON', () => {
  const launch = join(fixtures, 'launches');

  test('is read from standard input', { timeout }, async () => {
    const saved = join(folder, 'stdin.json');
    await served(['check', 'list.launch.ts', '--ranks', '2', '--save', saved], launch);
    const { status, stdout } = spawnSync(process.execPath, [join(root, 'apps/cli/bin/nccl-ts.js'), 'check', '-'], {
      input: readFileSync(saved),
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/^barrier, pull on 2 ranks: checked in /);
    expect(status).toBe(0);
  });

  test('is refused with the place of the mistake', { timeout }, async () => {
    const file = join(folder, 'wrong.json');
    await writeFile(file, '{"format":"nccl-ts/program","version":1,"texts":{},"kernels":{},"worlds":[{"ranks":2}]}');
    const { code, stderr } = await served(['check', file], folder);
    expect(stderr).toContain('error[NCCLTS_PROGRAM]: worlds[0].memory is missing; write a list.');
    expect(code).toBe(1);
  });

  test.each([
    { args: ['check', 'hands.ts', '--save', 'x.json'], says: 'its kernels are TypeScript' },
    { args: ['check', 'hands.ts', 'sums.ts', '--save', 'x.json'], says: '--save is for one file' },
    { args: ['check', 'x.json'], says: 'no such file: x.json' },
    { args: ['check', '-', '--watch'], says: 'standard input is none' },
  ])('is refused: $args', { timeout }, async ({ args, says }) => {
    const { code, stderr } = await ncclTs(args, fixtures);
    expect(stderr).toContain(says);
    expect(code).toBe(2);
  });
});

test.each([
  [
    'a call that was not awaited',
    'const flags = comm.allocWindow("u32", 4);\n  await flags.write([1]);',
    /^error: TypeError: flags\.write is not a function\n {2}= help: is 'flags' a promise\? .* const flags = await comm\.allocWindow/,
  ],
  [
    'a global of browsers in place of an import',
    'return window;',
    /^error: ReferenceError: window is not defined\n {2}= help: the type of a parameter is windowParam/,
  ],
])('%s is one error, with help and without the frames of Node', { timeout }, async (_, body, message) => {
  const file = join(folder, 'mistaken.mjs');
  await writeFile(file, `export async function host(comm) {\n  ${body}\n}\n`);
  const { code, stdout, stderr } = await ncclTs(['run', file]);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('node:internal');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});
