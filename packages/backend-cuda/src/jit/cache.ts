import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debugLog } from '@nccl-ts/core';
import { variable, type DiscoveryHost } from '../discovery/discovery-host.ts';

const hashBytes = 32;

/** Where compiled code is kept: `NCCLTS_CACHE_DIR`, else `nccl-ts` under `XDG_CACHE_HOME` or `~/.cache`. */
export function cacheDirectory(host: DiscoveryHost): string {
  const named = variable(host, 'NCCLTS_CACHE_DIR');
  if (named !== undefined) return named;
  return join(variable(host, 'XDG_CACHE_HOME') ?? join(host.home, '.cache'), 'nccl-ts');
}

/** What stands for a key in the cache: the parts, and nothing that could be mistaken for a border between them. */
export function cacheKey(parts: Readonly<Record<string, string | number>>): string {
  const text = JSON.stringify(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Bytes on disk by key. Several processes may use one directory: an entry is written beside its place and renamed into
 * it, so that nobody sees half of one. Each entry begins with the hash of the rest; one that does not fit is dropped.
 *
 * A cache that cannot be read or written is no error: things are compiled again. `NCCLTS_DEBUG=cuda` tells.
 */
export class CompileCache {
  readonly directory: string;
  #usable: Promise<boolean> | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  async get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!(await this.#isUsable())) return undefined;
    const path = this.#pathOf(key);
    let entry: Buffer;
    try {
      entry = await readFile(path);
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
    if (!(await this.#isUsable())) return;
    const path = this.#pathOf(key);
    const beside = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(beside, Buffer.concat([hashOf(payload), payload]), { mode: 0o600 });
      await rename(beside, path);
    } catch (error) {
      debugLog('cuda', () => `the cache entry ${path} cannot be written: ${String(error)}`);
      await rm(beside, { force: true }).catch(() => undefined);
    }
  }

  #pathOf(key: string): string {
    return join(this.directory, `${key}.bin`);
  }

  async #isUsable(): Promise<boolean> {
    this.#usable ??= prepare(this.directory);
    return this.#usable;
  }
}

function hashOf(payload: Uint8Array): Buffer {
  return createHash('sha256').update(payload).digest();
}

/** What is in the cache runs on the GPU with this user's rights, so nobody else may write there. */
async function prepare(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const found = await lstat(directory);
    const user = process.getuid?.();
    if (!found.isDirectory()) throw new Error('it is not a directory');
    if (user !== undefined && found.uid !== user) throw new Error(`it belongs to user ${found.uid}`);
    if ((found.mode & 0o077) !== 0) await chmod(directory, 0o700);
    return true;
  } catch (error) {
    debugLog('cuda', () => `compiled code is not kept in ${directory}: ${String(error)}`);
    return false;
  }
}
