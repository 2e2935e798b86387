import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Another thread frees unused array buffers gradually. */
const TIMES = 4;
const MILLISECONDS = 60;

/**
 * The bytes in array buffers that somebody has: what is garbage, and not collected yet, is none of
 * them.
 */
export async function keptBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  for (let i = 0; i < TIMES; i++) {
    runInNewContext('gc()');
    await pause(MILLISECONDS);
  }
  return process.memoryUsage().arrayBuffers;
}
