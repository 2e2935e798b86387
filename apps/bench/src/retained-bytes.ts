import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Another thread frees unused array buffers gradually. */
const TIMES = 4;
const MILLISECONDS = 60;

/** The bytes in reachable array buffers, without garbage that was not collected yet. */
export async function retainedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  for (let i = 0; i < TIMES; i++) {
    runInNewContext('gc()');
    await pause(MILLISECONDS);
  }
  return process.memoryUsage().arrayBuffers;
}
