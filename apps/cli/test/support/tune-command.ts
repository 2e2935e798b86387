import { vi } from 'vitest';
import { runCommandLine } from '../../src/command-line.ts';

/** Runs `nccl-ts tune` in this process. Returns its output and exit code. */
export async function tune(
  line: string,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const written = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written.out += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((written.err += String(text))));
  const code = await runCommandLine(['node', 'nccl-ts', 'tune', ...line.split(' ')]);
  vi.restoreAllMocks();
  return { code, ...written };
}
