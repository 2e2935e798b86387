import { afterEach, describe, expect, it, vi } from 'vitest';

import { configureDebug, debugEnabled, debugLog } from '@nccl-ts/core';

let restore: (() => void) | undefined;

afterEach(() => {
  restore?.();
  restore = undefined;
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A new copy, which has not read the environment yet. */
async function freshCopy(): Promise<typeof import('@nccl-ts/core')> {
  vi.resetModules();
  return import('@nccl-ts/core');
}

describe('debugLog', () => {
  it('writes the enabled topics, and evaluates no other message', () => {
    const lines: string[] = [];
    restore = configureDebug({ topics: 'sim, emit', sink: (line) => lines.push(line) });
    const silent = vi.fn(() => 'never');
    debugLog('sim', () => 'step 1');
    debugLog('capture', silent);
    debugLog('emit', () => 'done');
    expect(silent).not.toHaveBeenCalled();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^nccl-ts \+\d+\.\dms \[sim\] step 1$/);
    expect(lines[1]).toMatch(/\[emit\] done$/);
  });

  it('writes every topic for *', () => {
    restore = configureDebug({ topics: '*', sink: () => undefined });
    expect(debugEnabled('anything')).toBe(true);
  });

  it('is off without a setting', async () => {
    vi.stubEnv('NCCLTS_DEBUG', undefined);
    expect((await freshCopy()).debugEnabled('sim')).toBe(false);
  });

  it('reads the environment and writes to console.error', async () => {
    vi.stubEnv('NCCLTS_DEBUG', 'sim');
    const write = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const copy = await freshCopy();
    copy.debugLog('sim', () => 'hello');
    copy.debugLog('emit', () => 'no');
    expect(write).toHaveBeenCalledTimes(1);
    expect(write.mock.calls[0]?.[0]).toMatch(/\[sim\] hello$/);
  });

  it('reads a global if there is no environment', async () => {
    vi.stubGlobal('NCCLTS_DEBUG', 'emit');
    const copy = await freshCopy();
    expect([copy.debugEnabled('emit'), copy.debugEnabled('sim')]).toEqual([true, false]);
  });

  it.each([
    ['throws where the program has no right to read it', undefined],
    ['would ask the user, as Deno does in a terminal', 'prompt'],
  ])('is off if the environment variable %s', async (_how, state) => {
    const read = vi.fn(() => {
      if (state === undefined) throw new Error('Requires env access to "NCCLTS_DEBUG"');
      return { NCCLTS_DEBUG: '*' };
    });
    vi.stubGlobal('process', Object.defineProperty({}, 'env', { get: read }));
    if (state !== undefined) vi.stubGlobal('Deno', { permissions: { querySync: () => ({ state }) } });
    expect((await freshCopy()).debugEnabled('sim')).toBe(false);
    expect(read).toHaveBeenCalledTimes(state === undefined ? 1 : 0);
  });

  it('reads the environment in Deno with the permission', async () => {
    vi.stubGlobal('process', { env: { NCCLTS_DEBUG: 'sim' } });
    const querySync = vi.fn(() => ({ state: 'granted' }));
    vi.stubGlobal('Deno', { permissions: { querySync } });
    expect((await freshCopy()).debugEnabled('sim')).toBe(true);
    expect(querySync).toHaveBeenCalledWith({ name: 'env', variable: 'NCCLTS_DEBUG' });
  });

  it('restores the previous setting', () => {
    const outer = configureDebug({ topics: 'a' });
    const inner = configureDebug({ topics: 'b' });
    inner();
    expect([debugEnabled('a'), debugEnabled('b')]).toEqual([true, false]);
    outer();
    expect(debugEnabled('a')).toBe(false);
  });
});
