import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Toolkit } from '../discovery/find-toolkit.ts';

/** What came out of the compiler: the file, or what it said. */
export type Compiled =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly messages: string };

export interface NvccJob {
  readonly text: string;
  readonly output: 'cubin' | 'ptx';
  /** Such as `sm_90`. */
  readonly arch: string;
  readonly includes: readonly string[];
}

/** The file's name in messages of the compiler. */
export const sourceName = 'kernel.cu';

/** Floats are computed as IEEE 754 has them, so that results are those of the other backends. */
export const numericFlags: readonly string[] = ['-fmad=false', '-ftz=false', '-prec-div=true', '-prec-sqrt=true'];

/** Everything on the command line that decides what comes out. */
export function nvccFlags(job: Omit<NvccJob, 'text'>): readonly string[] {
  return [
    `-${job.output}`,
    `-arch=${job.arch}`,
    '-std=c++17',
    ...numericFlags,
    ...job.includes.flatMap((path) => ['-I', path]),
  ];
}

/** Compiles a text. Rejects where nvcc cannot be started. */
export async function runNvcc(toolkit: Toolkit, job: NvccJob): Promise<Compiled> {
  const directory = await mkdtemp(join(tmpdir(), 'nccl-ts-'));
  try {
    const output = join(directory, `kernel.${job.output}`);
    await writeFile(join(directory, sourceName), job.text);
    const messages = await run(toolkit.nvcc, [...nvccFlags(job), '-o', output, sourceName], directory);
    if (messages !== undefined) return { ok: false, messages };
    return { ok: true, bytes: new Uint8Array(await readFile(output)) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What the command printed, where it failed. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error === null) resolve(undefined);
      else if (typeof error.code === 'number')
        resolve(`${stdout}${stderr}`.trim() || `${command} ended with ${error.code}`);
      else reject(error);
    });
  });
}

/** What tells one compiler from another without starting it. */
export async function compilerIdentity(toolkit: Toolkit): Promise<string> {
  const { size, mtimeMs } = await stat(toolkit.nvcc);
  return `${toolkit.nvcc} ${toolkit.version} ${size} ${mtimeMs}`;
}
