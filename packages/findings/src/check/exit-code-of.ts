import type { CheckReport, Verdict } from './check-report.ts';

const exitCodes: Readonly<Record<Verdict, 0 | 1 | 3>> = {
  clean: 0,
  race: 1,
  deadlock: 1,
  misuse: 1,
  'out-of-bounds': 1,
  uninitialised: 1,
  fault: 1,
  incomplete: 3,
};

/** How a program that checks should end: 0 clean, 1 something is wrong, 3 a bound was reached. (2 is for wrong usage.) */
export function exitCodeOf({ verdict }: Pick<CheckReport, 'verdict'>): 0 | 1 | 3 {
  return exitCodes[verdict];
}
