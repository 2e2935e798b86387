import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { build, fixtures, served } from './support/command.ts';

// The machine may be busy.
const timeout = 240_000;
beforeAll(build, timeout);

const root = join(fixtures, '../../../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** A program for each hook, and a part of what the command says of it. */
const programs: Readonly<Record<string, readonly [file: string, stdout: string]>> = {
  'nccl-ts-compile': ['sums.ts', '1 kernel compiled, no errors'],
  'nccl-ts-check': ['host.ts', 'host on 4 ranks'],
};

interface Hook {
  readonly id: string;
  readonly language: string;
  readonly entry: string;
  readonly files: string;
}

/** The parts of the release workflow that the tests read. */
interface Workflow {
  readonly on: unknown;
  readonly jobs: {
    readonly publish: {
      readonly permissions: unknown;
      readonly steps: readonly { readonly run?: string; readonly env?: unknown }[];
    };
  };
}

describe('what the repository ships for other tools', () => {
  const hooks: readonly Hook[] = parse(read('.pre-commit-hooks.yaml'));

  test.for(hooks)('the hook $id runs a command that exists', { timeout }, async ({ id, language, entry, files }) => {
    const [, words = ''] = /^npx --no-install nccl-ts (.*)$/.exec(entry) ?? [];
    expect(language).toBe('system');
    expect(new RegExp(files).test('src/all-reduce.kernel.ts')).toBe(true);
    expect(new RegExp(files).test('src/kernel.ts')).toBe(false);
    const [file, stdout] = programs[id] ?? ['', ''];
    expect(await served([...words.split(' '), file])).toMatchObject({
      stdout: expect.stringContaining(stdout),
      stderr: '',
    });
  });

  test('the container runs the command without root', () => {
    const lines = read('.github/container/Containerfile').split('\n');
    const users = lines.filter((line) => line.startsWith('USER '));
    expect(users).toEqual(['USER node']);
    expect(lines.indexOf('USER node')).toBeLessThan(lines.findIndex((line) => line.startsWith('ENTRYPOINT ')));
    const [, path = ''] = /^ENTRYPOINT \["node", "\/node_modules\/nccl-ts\/(.*)"\]$/m.exec(lines.join('\n')) ?? [];
    expect(read(`packages/nccl-ts/${path}`)).toContain('#!/usr/bin/env node');
  });

  test('releases are published with provenance, by the command that a dry run rehearses', () => {
    const workflow: Workflow = parse(read('.github/workflows/release.yml'));
    const { permissions, steps } = workflow.jobs.publish;
    expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
    expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    const { scripts }: { readonly scripts: object } = JSON.parse(read('package.json'));
    for (const { run = '' } of steps) {
      const [, script] = /^npm run (\S+)/.exec(run) ?? [];
      if (script !== undefined) expect(scripts).toHaveProperty([script]);
    }
    const published = steps.find(({ run }) => run === 'npm run release');
    expect(published?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: 'true' });
    expect(steps.findIndex(({ run }) => run === 'npm run release:dry-run')).toBeLessThan(
      steps.findIndex(({ run }) => run === 'npm run release'),
    );
  });
});
