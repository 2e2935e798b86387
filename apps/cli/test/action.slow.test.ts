import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { build, fixtures } from './support/command.ts';

// Every test starts its own process, several at a time on a machine that may be busy.
const timeout = 240_000;

const root = join(fixtures, '../../../..');
const actions = join(root, '.github/actions/check');
const temp = mkdtempSync(join(tmpdir(), 'nccl-ts-action-'));

beforeAll(build, timeout);

afterAll(() => {
  rmSync(temp, { recursive: true });
});

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly run: string;
      readonly shell: string;
      readonly 'working-directory': string;
      readonly env: Readonly<Record<string, string>>;
    }[];
  };
}

interface Done {
  readonly code: unknown;
  readonly stdout: string;
  readonly annotations: readonly string[];
}

/** Runs the action's steps as a runner does, with these inputs. */
async function act(inputs: Readonly<Record<string, string>>, output: string): Promise<Done> {
  const action: Action = parse(readFileSync(join(actions, 'action.yml'), 'utf8'));
  const filled = (value: string): string =>
    value.replaceAll(
      /\$\{\{ inputs\.([\w-]+) \}\}/g,
      (_, name: string) => inputs[name] ?? action.inputs[name]?.default ?? '',
    );
  const [step] = action.runs.steps;
  if (step === undefined || action.runs.steps.length !== 1) throw new Error('the action has one step');
  expect([action.runs.using, step.shell]).toEqual(['composite', 'bash']);
  const child = spawn('bash', ['-eo', 'pipefail', '-c', step.run], {
    cwd: join(root, filled(step['working-directory'])),
    env: {
      ...process.env,
      ...Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, filled(value)])),
      GITHUB_ACTION_PATH: actions,
      GITHUB_OUTPUT: join(temp, output),
      GITHUB_WORKSPACE: root,
      RUNNER_TEMP: temp,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<unknown>((resolve) => {
    child.once('close', resolve);
  });
  const stdout = await textOf(child.stdout);
  return { code: await ended, stdout, annotations: stdout.split('\n').filter((line) => line.startsWith('::')) };
}

const small = '--ranks 2 --grid 1 --block 4 --strategy late --schedules 1';

test.concurrent('annotates lines with errors, and fails', { timeout }, async ({ expect }) => {
  const inputs = {
    files: 'hands.ts drops',
    args: `--arg "count=8" ${small}`,
    'working-directory': 'apps/cli/test/fixtures',
  };
  const { code, annotations } = await act(inputs, 'wrong');
  expect(annotations[0]).toMatch(
    /^::error file=apps\/cli\/test\/fixtures\/hands\.ts,line=31,col=\d+,endColumn=\d+,title=nccl-ts%3A race\/\S+::A load and a store /,
  );
  expect(code).toBe(1);
  const [, sarif = ''] = readFileSync(join(temp, 'wrong'), 'utf8').trim().split('=');
  expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' });
});

test.concurrent('is clean on the examples, and takes patterns and several lines', { timeout }, async ({ expect }) => {
  const files = 'apps/examples/kernels/h*.ts\n  apps/examples/kernels/dot-product.ts\n';
  const { code, stdout, annotations } = await act({ files, args: `${small} --local` }, 'clean');
  expect(stdout).toMatch(/\n2 programs checked\n/);
  expect(annotations).toEqual([]);
  expect(code).toBe(0);
});

test.concurrent('warns if a bound was reached', { timeout }, async ({ expect }) => {
  const args = '--arg count=1 --ranks 1 --grid 2 --block 1 --exhaustive --bound 0';
  const { code, annotations } = await act({ files: 'apps/cli/test/fixtures/hands.ts tickets', args }, 'bound');
  expect(annotations).toEqual([
    expect.stringMatching(/^::warning title=nccl-ts%3A incomplete::The check is not complete: /),
  ]);
  expect(code).toBe(3);
});

test.concurrent('passes the baseline to the check', { timeout }, async ({ expect }) => {
  const baseline = join(temp, 'nowhere.json');
  const { code, annotations } = await act({ files: 'apps/cli/test/fixtures/host.ts', baseline }, 'baseline');
  expect({ code, annotations }).toEqual({ code: 2, annotations: [] });
});

test("is used by this repository's workflow", () => {
  const workflow: {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly uses?: string }[] }>>;
  } = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'));
  const used = Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(used).toContain('./.github/actions/check');
});
