import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { numericFlags, sourceName, type Compiled, type CompileJob, type DeviceCompiler } from './device-compiler.ts';

/** The compiler that is a command. */
export function nvccCompiler(nvcc: string, version: number): DeviceCompiler {
  return {
    name: 'nvcc',
    title: nvcc,
    flags,
    identity: async () => {
      const { size, mtimeMs } = await stat(nvcc);
      return `${nvcc} ${version} ${size} ${mtimeMs}`;
    },
    compile: async (job) => compile(nvcc, job),
  };
}

function flags({ text, output, arch, includes }: CompileJob): readonly string[] {
  // What asks whether there are lambdas of the device wants them.
  const lambdas = text.includes('__CUDACC_EXTENDED_LAMBDA__') ? ['--extended-lambda'] : [];
  const paths = includes.flatMap((path) => ['-I', path]);
  return [`-${output}`, `-arch=${arch}`, '-std=c++17', ...numericFlags, ...lambdas, ...paths];
}

/** Rejects where nvcc cannot be started. */
async function compile(nvcc: string, job: CompileJob): Promise<Compiled> {
  const directory = await mkdtemp(join(tmpdir(), 'nccl-ts-'));
  try {
    const output = join(directory, `kernel.${job.output}`);
    await writeFile(join(directory, sourceName), job.text);
    const messages = await run(nvcc, [...flags(job), '-o', output, sourceName], directory);
    if (messages !== undefined) return { ok: false, because: 'text', messages };
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
