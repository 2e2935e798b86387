import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { standInHeaders } from './include-folder.ts';
import { findCompiler, type CudaCompiler } from './find-compiler.ts';

/** In milliseconds. The largest kernels with templates take a minute. */
const TIME_LIMIT = 300_000;

/**
 * The largest length of the compiler's output that is shown. Its last lines are the most useful.
 */
const MOST_TEXT = 20_000;

/**
 * Compiles a `.cu` file to PTX, for sm_90 and with line information unless `flags` differ.
 *
 * @throws UsageError with the compiler's output if there is no compiler, it rejects the file, or it
 *   takes too long.
 */
export async function compileCuda(
  file: string,
  flags: readonly string[],
  compiler: CudaCompiler = findCompiler(),
  timeLimit: number = TIME_LIMIT,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nccl-ts-ptx-'));
  try {
    const into = join(folder, 'kernel.ptx');
    const args = [...usual(compiler, flags), ...flags, '-o', into, file];
    const { code, text } = await run(compiler.path, args, timeLimit);
    const command = [compiler.path, ...args].join(' ');
    if (code === 'late') {
      throw new UsageError(`${compiler.kind} did not end within ${timeLimit / 1000} s, and was stopped: ${command}`);
    }
    if (code !== 0) {
      const help = missingStandIn(text);
      throw new UsageError(`${compiler.kind} cannot compile ${file}: ${command}\n${text.trimEnd()}${help}`);
    }
    return await readFile(into, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The end of a message about a missing header: what to write if it has a stand-in. */
function missingStandIn(text: string): string {
  const [, header] = /error: '?([\w/]+\.h)'?(?::| file not found)/u.exec(text) ?? [];
  if (header === undefined || !standInHeaders.includes(header)) return '';
  return `\nhelp: nccl-ts has a stand-in for ${header}: write standIn: true in the harness, or --stand-in on the command line`;
}

/** Returns the default flags that `flags` do not override. */
function usual({ kind }: CudaCompiler, flags: readonly string[]): readonly string[] {
  const has = (pattern: RegExp): boolean => flags.some((flag) => pattern.test(flag));
  if (kind === 'clang') {
    const target = has(/^--(cuda-gpu-arch|offload-arch)/) ? [] : ['--cuda-gpu-arch=sm_90'];
    return ['-x', 'cuda', '--cuda-device-only', '-S', '-O3', '-gline-tables-only', ...target];
  }
  const target = has(/^(-arch|--gpu-architecture|-gencode|--generate-code)/) ? [] : ['-arch=sm_90'];
  return ['-ptx', '-lineinfo', ...target];
}

interface ProcessOutcome {
  readonly code: number | null | 'late';
  readonly text: string;
}

async function run(program: string, args: readonly string[], timeLimit: number): Promise<ProcessOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' });
    let text = '';
    let isLate = false;
    const take = (part: Buffer): void => {
      text = (text + part.toString('utf8')).slice(-MOST_TEXT);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const timer = setTimeout(() => {
      isLate = true;
      // nvcc starts other programs, which are stopped with it.
      if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    }, timeLimit);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new UsageError(`${program} cannot be started: ${error.message}`));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: isLate ? 'late' : code, text });
    });
  });
}
