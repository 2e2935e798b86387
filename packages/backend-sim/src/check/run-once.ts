import { isNcclError } from '@nccl-ts/core';
import { findingOfError, type CheckReport, type ScheduleId } from '@nccl-ts/findings';
import { collectWorlds } from '../collect-worlds.ts';
import type { SimBackend } from '../sim-backend.ts';
import type { SimWorld } from '../sim-world.ts';
import type { Deadline } from './deadline.ts';
import { isReported } from './rank-misuse.ts';

/** A whole program: it opens a world on the backend, does the same each time, and closes it. */
export type Program = (backend: SimBackend) => Promise<void>;

/** What a program has done once. */
export interface CheckedProgram {
  /** Of each of its worlds, what was found. */
  readonly runs: readonly CheckReport[];
  /** What has happened, in all its worlds. */
  readonly hash: string;
  /** Whether it was ended before it was over. */
  readonly isCut: boolean;
  /** Whether it does what GPUs order further than the memory model. */
  readonly leansOnHardware: boolean;
}

/**
 * Runs a program on a backend that checks, until it is over or the time is. What it throws that stands in a report is let be.
 *
 * @throws what else the program throws.
 */
export async function runOnce(
  backend: SimBackend,
  schedule: ScheduleId,
  program: Program,
  deadline?: Deadline,
): Promise<CheckedProgram> {
  const worlds: SimWorld[] = [];
  let isCut = false;
  try {
    await program(collectWorlds(backend, worlds, (world) => deadline?.opened(world)));
  } catch (error) {
    isCut = deadline?.isOver === true && isAborted(error);
    if (!isCut && findingOfError(error, schedule) === undefined && !isReported(error)) throw error;
  } finally {
    for (const world of worlds) {
      deadline?.closed(world);
      await world[Symbol.asyncDispose]();
    }
  }
  const runs = worlds.map((world) => world.report());
  const hash = worlds.map(({ eventHash }) => eventHash).join();
  return { runs, hash, isCut, leansOnHardware: worlds.some((world) => world.leansOnHardware) };
}

/** Whether kernels were broken off, whichever rank's program has told of it. */
function isAborted(error: unknown): boolean {
  if (isNcclError(error, 'NCCLTS_ABORTED')) return true;
  if (error instanceof AggregateError) return error.errors.some(isAborted);
  return error instanceof Error && error.cause !== undefined && isAborted(error.cause);
}
