import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Captures } from './captures.ts';
import type { Pipeline } from './pipelines/pipeline.ts';

const execute = promisify(execFile);

/**
 * Builds the kernels with `pipeline` in a folder of its own, runs them in a process of their own, and takes the folder
 * away again.
 *
 * @throws Error where the build or the process fails; the message has its output.
 */
export async function runPipeline(pipeline: Pipeline): Promise<Captures> {
  const out = await mkdtemp(join(tmpdir(), 'nccl-ts-capture-'));
  try {
    const args = await pipeline.build(out);
    const result = join(out, 'captures.json');
    // What this process was started with is of no concern to the other one.
    const { NODE_OPTIONS: _, ...env } = process.env;
    await execute(process.execPath, [...args, result], { cwd: out, env: { ...env, TSX_DISABLE_CACHE: '1' } });
    const captures: unknown = JSON.parse(await readFile(result, 'utf8'));
    if (!isCaptures(captures)) throw new Error(`${pipeline.name}: the program wrote something else`);
    return captures;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** It comes from `capture`, but for what went wrong on the way. */
function isCaptures(value: unknown): value is Captures {
  return typeof value === 'object' && value !== null && 'ir' in value && 'bytes' in value && 'places' in value;
}
