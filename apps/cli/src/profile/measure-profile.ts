import type { World } from '@nccl-ts/communicator';
import { microBenchmarks, profileParameters, type MicroAmounts, type MicroResult } from '@nccl-ts/machine-profile';
import { packageVersion } from '../package-version.ts';

/** The machine of a profile, and the date of its measurement. */
export interface ProfiledMachine {
  readonly name: string;
  readonly gpu: string;
  /** As in 2026-11-27. */
  readonly date: string;
}

/**
 * Runs the micro-benchmarks on all ranks of a world, which has at least two. Returns what
 * `traceOfProfile` reads, with the result of each micro-benchmark.
 *
 * @param report is called with each result.
 * @throws Error if one of them fails.
 */
export async function measureProfile(
  world: World,
  machine: ProfiledMachine,
  amounts: MicroAmounts,
  report: (result: MicroResult) => void,
): Promise<object> {
  const { MACHINE_PROFILE } = await import('@nccl-ts/backend-sim');
  const micro = await microBenchmarks(world, { ...amounts, report });
  const { name, gpu, date } = machine;
  const head = { ...MACHINE_PROFILE, name, gpu, how: 'measured', date, command: `nccl-ts ${packageVersion()} profile` };
  return { ...head, parameters: profileParameters(micro), micro };
}
