import { isNcclError } from '@nccl-ts/core';
import { findingOfError, type CheckReport, type ScheduleId } from '@nccl-ts/findings';
import { collectWorlds } from '../collect-worlds.ts';
import type { SimBackend } from '../sim-backend.ts';
import type { SimWorld } from '../sim-world.ts';
import type { Deadline } from './deadline.ts';
import { isReported } from './rank-misuse.ts';

/** A whole program: it opens a world on the backend, does the same each time, and closes it. */
export type Program = (backend: SimBackend) => Promise<void>;

/** The results of one run of a program. */
export interface CheckedProgram {
  /** The findings of each of its worlds. */
  readonly runs: readonly CheckReport[];
  /** The events in all its worlds. */
  readonly hash: string;
  /** True if it was stopped before its end. */
  readonly isCut: boolean;
  /** True if it uses an order that GPUs guarantee beyond the memory model. */
  readonly leansOnHardware: boolean;
}

/**
 * Runs a program on a checking backend, up to its end or the time limit. Errors in a report are
 * ignored.
 *
 * @throws other errors of the program.
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
    const isKnown = isCut || findingOfError(error, schedule) !== undefined || isReported(error);
    if (!isKnown && !isOfHaste(error, schedule)) throw error;
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

/**
 * True for a program's own error where its waits gave up before their time limits: it expects the
 * results that there are when they do not.
 */
function isOfHaste(error: unknown, { strategy }: ScheduleId): boolean {
  return strategy === 'hasty' && !isNcclError(error);
}

/** True if kernels were aborted, by any rank's program. */
function isAborted(error: unknown): boolean {
  if (isNcclError(error, 'NCCLTS_ABORTED')) return true;
  if (error instanceof AggregateError) return error.errors.some(isAborted);
  return error instanceof Error && error.cause !== undefined && isAborted(error.cause);
}
