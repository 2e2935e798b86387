import type { SupportFunctions } from '../emit-shared/support-functions.ts';
import type { ProgramHost } from '../program/program.ts';

/** The host's clock: see `ProgramHost.isLate`. */
export function turns(host: ProgramHost): SupportFunctions {
  return { isLate: host.isLate ?? never };
}

function never(): boolean {
  return false;
}
