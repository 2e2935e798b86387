import { findingOfError, type CheckReport, type ScheduleId } from '@nccl-ts/findings';
import { collectWorlds } from '../collect-worlds.ts';
import type { SimBackend } from '../sim-backend.ts';
import type { SimWorld } from '../sim-world.ts';

/** What a program has done once. */
export interface CheckedProgram {
  /** Of each of its worlds, what was found. */
  readonly runs: readonly CheckReport[];
  /** What has happened, in all its worlds. */
  readonly hash: string;
}

/** Runs a program on a backend that checks. What it throws that stands in a report is let be. */
export async function runOnce(
  backend: SimBackend,
  schedule: ScheduleId,
  program: (backend: SimBackend) => Promise<void>,
): Promise<CheckedProgram> {
  const worlds: SimWorld[] = [];
  try {
    await program(collectWorlds(backend, worlds));
  } catch (error) {
    if (findingOfError(error, schedule) === undefined) throw error;
  } finally {
    for (const world of worlds) await world[Symbol.asyncDispose]();
  }
  return { runs: worlds.map((world) => world.report()), hash: worlds.map(({ eventHash }) => eventHash).join() };
}
