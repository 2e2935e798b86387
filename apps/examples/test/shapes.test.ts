import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, isHarness, ranksToCheck, translate } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Weakens or removes all synchronizations of one kind. */
const removals: Readonly<Record<string, readonly [from: RegExp, to: string]>> = {
  'flag-barrier': [/st\.release\.sys/g, 'st.relaxed.sys'],
  'one-shot': [/st\.release\.sys/g, 'st.relaxed.sys'],
  lamport: [/fence\.\w+\.sys;|membar\.sys;/g, ''],
  // The GPUs are different ones.
  ll: [/relaxed\.sys/g, 'relaxed.gpu'],
  ring: [/st\.release\.sys/g, 'st.relaxed.sys'],
  'nvshmem-put-signal': [/call\.uni\s+__nccl_ts_shmem_fence,\s+\(\s*\);/g, ''],
};
const folder = new URL('../shapes/', import.meta.url);
// The quick tests have one.
const names = Object.keys(removals).filter((name) => (name === 'll') !== inject('slow'));

async function checked(name: string, change = (ptx: string): string => ptx): Promise<CheckReport> {
  const at = new URL(`${name}/`, folder);
  const module: { default: unknown } = await import(new URL('launch.ts', at).href);
  const launch = module.default;
  if (!isHarness(launch)) throw new TypeError(`shapes/${name}/launch.ts exports no harness`);
  const textOf = (path: string): string => readFileSync(new URL(path, at), 'utf8');
  const ptx = change(textOf('kernel.ptx'));
  const kernel = translate(launch, ptx, {
    name: 'kernel.ptx',
    // The headers are not available here.
    source: (path) => (existsSync(new URL(path, at)) ? textOf(path) : undefined),
  });
  return check({ ranks: ranksToCheck(launch)[0], local: launch.local }, harnessProgram(harness(launch), kernel));
}

describe('a shape to start from', () => {
  it.each(names)('%s is clean', async (name) => {
    const { verdict, accesses } = await checked(name);
    expect(verdict).toBe('clean');
    expect(accesses).toBeGreaterThan(100);
  });

  it.each(names)('%s has a finding without its synchronization', async (name) => {
    const [from, to] = removals[name] ?? [/$./, ''];
    const { findings } = await checked(name, (ptx) => {
      expect(ptx).toMatch(from);
      return ptx.replaceAll(from, to);
    });
    expect(findings.map(({ kind }) => kind)).not.toEqual([]);
  });

  it('has a row here', () => {
    const folders = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory());
    expect(Object.keys(removals).toSorted()).toEqual(folders.map((one) => one.name).toSorted());
  });
});
