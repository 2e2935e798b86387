import { served, type Outcome } from './command.ts';

// The machine may be busy.
export const timeout = 240_000;

export const launch = ['--ranks', '2', '--grid', '1', '--block', '4', '--arg', 'count=8', '--bytes', '4K'];
export const small = [...launch, '--sequence', 'once', '--strategy', 'random', '--schedules', '2'];

export async function checks(line: string, ...more: readonly string[]): Promise<Outcome> {
  return served(['check', ...line.split(' '), ...more]);
}
