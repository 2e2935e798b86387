import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { cacheDirectory, cacheKey, CompileCache } from '../../src/jit/cache.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nccl-ts-cache-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const payload = Uint8Array.from({ length: 1000 }, (_, i) => i & 255);
const key = cacheKey({ text: 'a' });

function onlyEntry(directory: string): string {
  const [name, ...others] = readdirSync(directory);
  expect(others).toEqual([]);
  return join(directory, name ?? '');
}

describe('the cache of compiled kernels', () => {
  it('returns a stored kernel, to another user of the directory too', async () => {
    const directory = join(root, 'deep/down');
    await new CompileCache(directory).put(key, payload);
    expect(await new CompileCache(directory).get(key)).toEqual(payload);
    expect(await new CompileCache(directory).get(cacheKey({ text: 'b' }))).toBeUndefined();
  });

  it('creates a directory that only its user can access', async () => {
    const directory = join(root, 'deep/cache');
    await new CompileCache(directory).put(key, payload);
    for (const made of [directory, join(root, 'deep')]) expect(statSync(made).mode & 0o777).toBe(0o700);
    expect(statSync(onlyEntry(directory)).mode & 0o077).toBe(0);
  });

  it.each([
    ['everybody’s, as the folder of temporary files', 0o1777],
    ['everybody’s, without a sticky bit', 0o777],
    ['its group’s too', 0o775],
  ])('leaves a directory that is %s unchanged and uses its own subdirectory', async (_whose, mode) => {
    chmodSync(root, mode);
    await new CompileCache(root).put(key, payload);
    expect(statSync(root).mode & 0o7777).toBe(mode);
    const own = onlyEntry(root);
    expect(own).toBe(join(root, `nccl-ts-${process.getuid?.()}`));
    expect(statSync(own).mode & 0o777).toBe(0o700);
    expect(await new CompileCache(root).get(key)).toEqual(payload);
  });

  it('uses a directory that others may only read, without changing it', async () => {
    chmodSync(root, 0o755);
    await new CompileCache(root).put(key, payload);
    expect(statSync(root).mode & 0o7777).toBe(0o755);
    expect(onlyEntry(root)).toMatch(/\.bin$/);
  });

  it.each([
    ['a link', (path: string) => symlinkSync(tmpdir(), path)],
    ['one that others may write to', (path: string) => (mkdirSync(path), chmodSync(path, 0o777))],
    ['a file', (path: string) => writeFileSync(path, '')],
  ])('stores nothing if its own subdirectory is %s', async (_what, make) => {
    chmodSync(root, 0o1777);
    make(join(root, `nccl-ts-${process.getuid?.()}`));
    await new CompileCache(root).put(key, payload);
    expect(await new CompileCache(root).get(key)).toBeUndefined();
  });

  it('rejects an entry that others may have written', async () => {
    const cache = new CompileCache(root);
    await cache.put(key, payload);
    chmodSync(onlyEntry(root), 0o666);
    expect(await cache.get(key)).toBeUndefined();
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 500)],
    ['empty', () => Buffer.alloc(0)],
    ['of a hash alone', (bytes: Buffer) => bytes.subarray(0, 32)],
    ['changed in one bit', (bytes: Buffer) => Buffer.from(bytes.map((byte, i) => (i === 700 ? byte ^ 1 : byte)))],
  ])('drops an entry that is %s', async (_what, damage) => {
    const cache = new CompileCache(root);
    await cache.put(key, payload);
    const path = onlyEntry(root);
    writeFileSync(path, damage(readFileSync(path)));
    expect(await cache.get(key)).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
    await cache.put(key, payload);
    expect(await cache.get(key)).toEqual(payload);
  });

  it('works if its directory cannot exist', async () => {
    writeFileSync(join(root, 'file'), '');
    const cache = new CompileCache(join(root, 'file/cache'));
    await cache.put(key, payload);
    expect(await cache.get(key)).toBeUndefined();
  });

  it.for(slow)('survives concurrent processes', { timeout: 60_000 }, async () => {
    const script = join(root, 'worker.mjs');
    await build({
      stdin: {
        contents: `
          import { CompileCache } from './cache.ts';
          const cache = new CompileCache(process.argv[2]);
          const payload = Uint8Array.from({ length: 200000 }, (_, i) => (i * 31) & 255);
          for (let i = 0; i < 60; i++) {
            await cache.put('k' + (i % 3), payload);
            const got = await cache.get('k' + ((i + 1) % 3));
            if (got !== undefined && Buffer.compare(got, payload) !== 0) throw new Error('half an entry');
          }`,
        resolveDir: join(import.meta.dirname, '../../src/jit'),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@nccl-ts/source'],
      outfile: script,
    });
    const directory = join(root, 'shared');
    await Promise.all(
      Array.from({ length: 4 }, async () => promisify(execFile)(process.execPath, [script, directory])),
    );
    expect(readdirSync(directory).toSorted()).toEqual(['k0.bin', 'k1.bin', 'k2.bin']);
  });

  it("uses the environment's directory", () => {
    const at = (env: Record<string, string>): string => cacheDirectory({ env, root: '', home: '/home/someone' });
    expect(at({ NCCLTS_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(at({ XDG_CACHE_HOME: '/b' })).toBe('/b/nccl-ts');
    expect(at({})).toBe('/home/someone/.cache/nccl-ts');
  });

  it('distinguishes the parts of a key', () => {
    expect(cacheKey({ a: 'x', b: 'y' })).toBe(cacheKey({ b: 'y', a: 'x' }));
    const keys = [{ a: 'x', b: 'y' }, { a: 'xb', b: 'y' }, { a: 'x","b":"y' }, { a: 'x' }, { a: 1 }, { a: '1' }].map(
      (parts) => cacheKey(parts as Record<string, string | number>),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
});
