import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NcclError } from '@nccl-ts/core';
import { numericFlags, sourceName, type Compiled, type CompileJob, type DeviceCompiler } from './device-compiler.ts';

/** The largest kernels take a minute. */
export const COMPILE_MILLISECONDS = 300_000;

/** The largest length of its output. */
const MOST_TEXT = 1 << 22;

/**
 * Returns the compiler that is a command. `limit` is the number of milliseconds that a compilation
 * may take.
 */
export function nvccCompiler(nvcc: string, version: number, limit: number = COMPILE_MILLISECONDS): DeviceCompiler {
  return {
    name: 'nvcc',
    title: nvcc,
    flags,
    identity: async () => {
      const { size, mtimeMs } = await stat(nvcc);
      return `${nvcc} ${version} ${size} ${mtimeMs}`;
    },
    compile: async (job) => compile(nvcc, job, limit),
  };
}

function flags({ text, output, arch, includes }: CompileJob): readonly string[] {
  // A text that tests for device lambdas needs them.
  const lambdas = text.includes('__CUDACC_EXTENDED_LAMBDA__') ? ['--extended-lambda'] : [];
  const paths = includes.flatMap((path) => ['-I', path]);
  return [`-${output}`, `-arch=${arch}`, '-std=c++17', ...numericFlags, ...lambdas, ...paths];
}

/** Rejects if nvcc cannot be started, or takes too long. */
async function compile(nvcc: string, job: CompileJob, limit: number): Promise<Compiled> {
  const directory = await mkdtemp(join(tmpdir(), 'nccl-ts-'));
  try {
    const output = join(directory, `kernel.${job.output}`);
    await writeFile(join(directory, sourceName), job.text);
    const messages = await run(nvcc, [...flags(job), '-o', output, sourceName], directory, limit);
    if (messages !== undefined) return { ok: false, because: 'text', messages };
    return { ok: true, bytes: new Uint8Array(await readFile(output)) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Runs a command. If it fails, returns its output.
 *
 * @throws NcclError `NCCL_TIMEOUT` if it takes longer than `limit` milliseconds. It and its child
 *   processes are then killed.
 */
async function run(command: string, args: readonly string[], cwd: string, limit: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const isGroup = process.platform !== 'win32';
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: isGroup });
    let text = '';
    let isLate = false;
    const take = (part: Buffer): void => {
      if (text.length < MOST_TEXT) text += part.toString('utf8');
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const timer = setTimeout(() => {
      isLate = true;
      // nvcc starts other programs, which are killed with it.
      if (isGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    }, limit);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (isLate) reject(late(command, limit));
      else if (code === 0) resolve(undefined);
      else resolve(text.trim() || `${command} ended with ${code ?? signal}`);
    });
  });
}

function late(command: string, limit: number): NcclError {
  return new NcclError(
    'NCCL_TIMEOUT',
    `${command} did not end within ${limit / 1000} s and was stopped: split the kernel, or give it more time with cuda({ compileTimeout }), in milliseconds.`,
    { details: { command, milliseconds: limit } },
  );
}
