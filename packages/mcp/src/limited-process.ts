import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { Limits } from './limits.ts';

/** The result of a process. */
export interface ProcessResult {
  /** The exit code; undefined if the process was ended at a limit. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The limit at which the process was ended, as a sentence. */
  readonly ended?: string;
}

/** How often the memory of a process is read, in ms. */
const PERIOD = 100;

/**
 * Runs Node with these words in `folder`, and ends it at a limit. The process has no input, and of
 * the environment only what starting a program needs.
 */
export async function limitedProcess(
  words: readonly string[],
  folder: string,
  { seconds, memoryBytes, outputCharacters }: Limits,
  signal?: AbortSignal,
): Promise<ProcessResult> {
  const heap = `--max-old-space-size=${Math.floor(memoryBytes / 2 ** 20)}`;
  const child = spawn(process.execPath, [heap, ...words], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let ended: string | undefined;
  const end = (because: string): void => {
    ended ??= because;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => end(`The call reached its limit of ${seconds} s.`), seconds * 1000);
  const watch = setInterval(() => {
    const bytes = residentBytes(child.pid);
    if (bytes === undefined || bytes <= memoryBytes) return;
    end(`The call reached its limit of ${Math.round(memoryBytes / 2 ** 20)} MiB of memory.`);
  }, PERIOD);
  const abort = (): void => end('The call was cancelled.');
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout, outputCharacters),
      textOf(child.stderr, outputCharacters),
      closed,
    ]);
    if (ended !== undefined) return { exitCode: undefined, stdout, stderr, ended };
    // Node ends itself if its heap is full.
    if (code === null) return { exitCode: undefined, stdout, stderr, ended: 'The process ended unexpectedly.' };
    return { exitCode: code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    signal?.removeEventListener('abort', abort);
  }
}

/** The variables without which programs do not start. Keys and tokens are not among them. */
const needed = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG'];

function environment(): Readonly<Record<string, string>> {
  const given = needed.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), NO_COLOR: '1' };
}

/** The resident memory of a process; undefined where the system does not tell. */
function residentBytes(pid: number | undefined): number | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    // The process has just ended.
    return undefined;
  }
}

/** Reads all, and keeps the first characters. */
async function textOf(stream: AsyncIterable<Buffer>, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let isCut = false;
  for await (const part of stream) {
    if (isCut) continue;
    text += decoder.decode(part, { stream: true });
    if (text.length <= most) continue;
    isCut = true;
    text = `${text.slice(0, most)}\n... (the output has more than ${most} characters)\n`;
  }
  return text;
}
