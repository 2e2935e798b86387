import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Captures } from './captures.ts';
import type { LibraryCaptures, LibraryScope } from './library/library-captures.ts';
import { libraryProgram, matrixProgram, type Pipeline, type PipelineInput } from './pipelines/pipeline.ts';

const execute = promisify(execFile);

/**
 * Builds the kernels with `pipeline` in a separate folder, runs them in a separate process, and
 * removes the folder.
 *
 * @throws Error if the build or the process fails. The message has its output.
 */
export async function runPipeline(pipeline: Pipeline): Promise<Captures> {
  const captures = await run(pipeline, matrixProgram, []);
  if (!isCaptures(captures)) throw new Error(`${pipeline.name}: the program wrote different output`);
  return captures;
}

/** The same for the library's own kernels. */
export async function runLibrary(pipeline: Pipeline, scope: LibraryScope): Promise<LibraryCaptures> {
  const captures = await run(pipeline, libraryProgram, [scope]);
  if (!isLibraryCaptures(captures)) throw new Error(`${pipeline.name}: the program wrote different output`);
  return captures;
}

async function run(pipeline: Pipeline, program: PipelineInput, more: readonly string[]): Promise<unknown> {
  const out = await mkdtemp(join(tmpdir(), 'nccl-ts-capture-'));
  try {
    const args = await pipeline.build(out, program);
    const result = join(out, 'captures.json');
    // The other process must not inherit the options of this one.
    const { NODE_OPTIONS: _, ...env } = process.env;
    await execute(process.execPath, [...args, result, ...more], { cwd: out, env: { ...env, TSX_DISABLE_CACHE: '1' } });
    const captures: unknown = JSON.parse(await readFile(result, 'utf8'));
    return captures;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** It comes from `capture`, except for its errors. */
function isCaptures(value: unknown): value is Captures {
  return typeof value === 'object' && value !== null && 'ir' in value && 'bytes' in value && 'locations' in value;
}

/** It comes from `captureLibrary`, as above. */
function isLibraryCaptures(value: unknown): value is LibraryCaptures {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}
