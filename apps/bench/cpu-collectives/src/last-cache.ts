import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CACHES = '/sys/devices/system/cpu/cpu0/cache';

/**
 * The size of the last cache, which all cores share. `undefined` if the system does not report it.
 */
export function lastCacheBytes(): number | undefined {
  try {
    const sizes = readdirSync(CACHES)
      .filter((name) => name.startsWith('index'))
      .map((name) => /^(\d+)K$/.exec(readFileSync(join(CACHES, name, 'size'), 'utf8').trim())?.[1])
      .flatMap((kib) => (kib === undefined ? [] : [Number(kib) * 1024]));
    return sizes.length === 0 ? undefined : Math.max(...sizes);
  } catch {
    return undefined;
  }
}
