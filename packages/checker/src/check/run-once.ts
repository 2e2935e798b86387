import { isNcclError } from '@nccl-ts/core';
import { findingOfError, type CheckReport, type ScheduleId } from '@nccl-ts/findings';
import { collectWorlds } from '../collect-worlds.ts';
import type { SimBackend, SimWorld } from '@nccl-ts/backend-sim';
import { isReported, joinedRuns, type EarlierRun, type SeenLines } from '@nccl-ts/backend-sim/internal';
import type { RunDeadline } from './first-part.ts';

/**
 * A whole program. It must open a world on the backend, do the same each time, and close the world.
 */
export type WorldProgram = (backend: SimBackend) => Promise<void>;

/** The results of one run of a program. */
export interface CheckedProgram {
  /** The findings of each world. */
  readonly runs: readonly CheckReport[];
  /** A hash of the events in all worlds. */
  readonly hash: string;
  /** True if the program was stopped before its end. */
  readonly isCut: boolean;
  /** True if the program relies on an order that GPUs guarantee beyond the memory model. */
  readonly leansOnHardware: boolean;
  /** True if its findings do not tell what happened to words, because too much happened. */
  readonly hasForgotten: boolean;
  readonly seenLines: SeenLines;
  /** The facts of this run that a further one needs. */
  readonly seen: EarlierRun;
}

/**
 * Runs a program on a checking backend, up to its end or the time limit. It ignores errors that are
 * in a report.
 *
 * @throws other errors of the program.
 */
export async function runOnce(
  backend: SimBackend,
  schedule: ScheduleId,
  program: WorldProgram,
  deadline?: RunDeadline,
): Promise<CheckedProgram> {
  const worlds: SimWorld[] = [];
  let isCut = false;
  try {
    await program(collectWorlds(backend, worlds, (world) => deadline?.opened(world)));
  } catch (error) {
    isCut = deadline?.isOver === true && isAborted(error);
    const isKnown = isCut || findingOfError(error, schedule) !== undefined || isReported(error);
    if (!isKnown && !isOfHaste(error, schedule) && !isOfFindings(error, worlds)) throw error;
  } finally {
    for (const world of worlds) {
      deadline?.closed(world);
      await world[Symbol.asyncDispose]();
    }
  }
  const runs = worlds.map((world) => world.report());
  const hash = worlds.map(({ eventHash }) => eventHash).join();
  const store = worlds.map(({ lines }) => lines.store).find((label) => label !== undefined);
  const places = new Set(worlds.flatMap(({ lines }) => [...lines.lines]));
  const leansOnHardware = worlds.some((world) => world.leansOnHardware);
  const hasForgotten = worlds.some((world) => world.hasForgotten);
  const seen = joinedRuns(worlds.map((world) => world.seen));
  return { runs, hash, isCut, leansOnHardware, hasForgotten, seenLines: { store, lines: places }, seen };
}

/**
 * True for an error that the program itself throws in a run where waits gave up before their time
 * limits. The program expects results that exist only if they do not.
 */
function isOfHaste(error: unknown, { strategy }: ScheduleId): boolean {
  return strategy === 'hasty' && !isNcclError(error);
}

/**
 * True for an error that the program itself throws after an error of its kernels was found. A host
 * that looks at its results throws because they are wrong, and the finding says why.
 */
function isOfFindings(error: unknown, worlds: readonly SimWorld[]): boolean {
  const isFound = (world: SimWorld): boolean => world.report().findings.some(({ severity }) => severity === 'error');
  return !isNcclError(error) && worlds.some(isFound);
}

/** True if the program of any rank aborted kernels. */
function isAborted(error: unknown): boolean {
  if (isNcclError(error, 'NCCLTS_ABORTED')) return true;
  if (error instanceof AggregateError) return error.errors.some(isAborted);
  return error instanceof Error && error.cause !== undefined && isAborted(error.cause);
}
