import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { NcclError } from '@nccl-ts/core';

/** The result of a command. */
export interface Ended {
  readonly ok: boolean;
  readonly stdout: string;
  /** The reason of its failure: the end of stderr, or the timeout. */
  readonly problem: string;
}

/** True if a program of this name can be started. */
export function onPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** mpirun ends its ranks if it is asked to end, but not if it is killed. So it gets some time. */
const GRACE_MS = 5000;

/** The processes that `run` has started and that have not ended. */
export interface Running {
  readonly groups: Set<number>;
}

/** Asks all running processes to end, for a program that ends early. */
export function endAll({ groups }: Running): void {
  for (const group of groups) signal(group, 'SIGTERM');
}

function signal(group: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, name);
  } catch {
    // It has ended already.
  }
}

/**
 * Runs a command and waits for its end. After `timeoutMs` it and the processes that it started get
 * a request to end, then they are killed.
 *
 * @throws NcclError `NCCL_SYSTEM_ERROR` if it cannot be started.
 */
export async function run(
  command: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
    readonly running?: Running;
  } = {},
): Promise<Ended> {
  const { env = {}, timeoutMs = 300_000, running } = options;
  const [program = '', ...rest] = command;
  // It has its own process group, because killing mpirun must not leave ranks behind.
  const child = spawn(program, rest, {
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let late = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const { promise, resolve, reject } = deferred<number | null>();
  child.on('error', (cause) => {
    reject(new NcclError('NCCL_SYSTEM_ERROR', `${program} cannot be started`, { cause }));
  });
  child.on('close', resolve);
  const group = child.pid;
  if (group !== undefined) running?.groups.add(group);
  let killer: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    late = true;
    if (group === undefined) return;
    signal(group, 'SIGTERM');
    killer = setTimeout(() => signal(group, 'SIGKILL'), GRACE_MS);
  }, timeoutMs);
  try {
    const code = await promise;
    const last = stderr.trim().split('\n').slice(-3).join(' | ').slice(-300);
    const problem = late ? `it did not end within ${timeoutMs / 1000} s` : `exit code ${code}: ${last}`;
    return { ok: code === 0 && !late, stdout, problem };
  } finally {
    clearTimeout(timer);
    clearTimeout(killer);
    if (group !== undefined) running?.groups.delete(group);
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
