import { createHash, randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debugLog } from '@nccl-ts/core';
import { variable, type DiscoveryHost } from '../discovery/discovery-host.ts';

const hashBytes = 32;

/**
 * Returns the folder for compiled code: `NCCLTS_CACHE_DIR`, or `nccl-ts` in `XDG_CACHE_HOME` or
 * `~/.cache`.
 */
export function cacheDirectory(host: DiscoveryHost): string {
  const named = variable(host, 'NCCLTS_CACHE_DIR');
  if (named !== undefined) return named;
  return join(variable(host, 'XDG_CACHE_HOME') ?? join(host.home, '.cache'), 'nccl-ts');
}

/** Returns the cache's name for a key: its parts, separated unambiguously. */
export function cacheKey(parts: Readonly<Record<string, string | number>>): string {
  const text = JSON.stringify(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Stored bytes by key. Several processes may share one folder. An entry is written next to its
 * final location and then renamed, so that no process sees a partial one. Each entry starts with a
 * hash of the rest. A damaged entry is dropped.
 *
 * A cache that cannot be read or written is not an error: kernels are then compiled again.
 * `NCCLTS_DEBUG=cuda` logs it.
 */
export class CompileCache {
  /**
   * The configured folder. If other users may write to it, entries are in this user's subfolder,
   * `nccl-ts-UID`.
   */
  readonly directory: string;
  #prepared: Promise<string | undefined> | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  async get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const path = await this.#pathOf(key);
    if (path === undefined) return undefined;
    let entry: Buffer;
    try {
      entry = await readOwn(path);
    } catch {
      return undefined;
    }
    const payload = new Uint8Array(entry.subarray(hashBytes));
    if (entry.length > hashBytes && hashOf(payload).equals(entry.subarray(0, hashBytes))) return payload;
    debugLog('cuda', () => `the cache entry ${path} is damaged and is dropped`);
    await rm(path, { force: true }).catch(() => undefined);
    return undefined;
  }

  async put(key: string, payload: Uint8Array): Promise<void> {
    const path = await this.#pathOf(key);
    if (path === undefined) return;
    const beside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(beside, Buffer.concat([hashOf(payload), payload]), { mode: 0o600 });
      await rename(beside, path);
    } catch (error) {
      debugLog('cuda', () => `the cache entry ${path} cannot be written: ${String(error)}`);
      await rm(beside, { force: true }).catch(() => undefined);
    }
  }

  async #pathOf(key: string): Promise<string | undefined> {
    this.#prepared ??= prepare(this.directory);
    const directory = await this.#prepared;
    return directory === undefined ? undefined : join(directory, `${key}.bin`);
  }
}

function hashOf(payload: Uint8Array): Buffer {
  return createHash('sha256').update(payload).digest();
}

/**
 * Returns the folder of the entries; `undefined` if there can be none. Cached code runs on the GPU
 * with this user's rights, so no other user may write there. Existing folders keep their modes,
 * because they may be public, like `/tmp`.
 */
async function prepare(directory: string): Promise<string | undefined> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const user = process.getuid?.();
    const found = await stat(directory);
    if (!found.isDirectory()) throw new Error('it is not a directory');
    if (user === undefined || isOnlyOf(user, found)) return directory;
    const own = join(directory, `nccl-ts-${user}`);
    await mkdir(own, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    const mine = await lstat(own);
    if (!mine.isDirectory() || !isOnlyOf(user, mine)) throw new Error(`other users may write to ${own}`);
    return own;
  } catch (error) {
    debugLog('cuda', () => `compiled code is not kept in ${directory}: ${String(error)}`);
    return undefined;
  }
}

/** True if only `user` may write to it. */
function isOnlyOf(user: number, { uid, mode }: Stats): boolean {
  return uid === user && (mode & 0o022) === 0;
}

/**
 * @throws if there is no such file, or if another user may have written it, because folders can be
 * exchanged
 */
async function readOwn(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const user = process.getuid?.();
    if (user !== undefined && !isOnlyOf(user, await file.stat()))
      throw new Error(`another user may have written ${path}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
