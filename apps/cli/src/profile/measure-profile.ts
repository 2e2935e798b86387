import type { World } from '@nccl-ts/communicator';
import { microBenchmarks, profileParameters, type MicroAmounts, type MicroResult } from '@nccl-ts/machine-profile';
import { packageVersion } from '../package-version.ts';

/** The machine of a profile, and the date of its measurement. */
export interface ProfiledMachine {
  readonly name: string;
  readonly gpu: string;
  /** The number of its GPUs, at least 2. */
  readonly gpus: number;
  /** As in 2026-11-27. */
  readonly date: string;
}

/**
 * Runs the micro-benchmarks. Returns what `traceOfProfile` reads, with the result of each
 * micro-benchmark.
 *
 * @param open opens a world of this many ranks, one on each GPU.
 * @param report is called with each result.
 * @throws Error if one of them fails.
 */
export async function measureProfile(
  open: (ranks: number) => Promise<World>,
  machine: ProfiledMachine,
  amounts: MicroAmounts,
  report: (result: MicroResult) => void,
): Promise<object> {
  const { MACHINE_PROFILE } = await import('@nccl-ts/cost-model');
  const micro = await microBenchmarks(open, machine.gpus, { ...amounts, report });
  const { name, gpu, date } = machine;
  const head = { ...MACHINE_PROFILE, name, gpu, how: 'measured', date, command: `nccl-ts ${packageVersion()} profile` };
  return { ...head, parameters: profileParameters(micro), micro };
}
