import { expectInteger, NcclError, reading, showValue, takeOptions } from '@nccl-ts/core';
import { concludeCheck, noLaunch, type CheckReport } from '@nccl-ts/findings';
import { collectWorlds } from './collect-worlds.ts';
import { expectLocal } from './expect-local.ts';
import { exploreWorld, type ExploreListeners } from './exhaustive/explore-executions.ts';
import type { ExploreBound } from './exhaustive/explore-bound.ts';
import { Enumeration, simWith, resolveSimOptions } from '@nccl-ts/backend-sim/internal';
import type { SimBackend, SimOptions, SimWorld } from '@nccl-ts/backend-sim';

/** The machine on which to explore. */
export interface ExploreOptions extends SimOptions {
  /**
   * With `mode: 'check'`: true if each rank is meant to work alone. Otherwise the report is
   * `incomplete` if several ranks ran, none touched the memory of another and no wait was reached.
   * @default false
   */
  readonly local?: boolean;
}

/** The result of an exploration. */
export interface Exploration {
  readonly runs: number;
  /** True if these were all runs; false if the bound was reached. */
  readonly complete: boolean;
  /** With `mode: 'check'`: the findings of all executions together. */
  readonly report?: CheckReport;
}

/**
 * Calls `run` once for every order in which CTAs can run and the network can process posted
 * requests, with a backend that follows that order. `run` must open a world on it, do the same each
 * time, close it, and check the results. The seed and the delivery of `options` have no effect.
 *
 * The number of orders grows quickly, so this suits programs with few requests. A CTA runs up to
 * its next wait, so plain loads and stores of racing kernels are not interleaved. If the rest of a
 * run was explored before, its launches fail with `NCCLTS_ABORTED`. `run` must rethrow that error,
 * and not count the run.
 *
 * With `mode: 'check'`, it instead calls `run` once for every execution that PTX's memory model
 * allows. A read may return any write that the model allows, loads may come late, and only the
 * program's own waits and barriers order accesses. `report` has the races, reads of unwritten
 * memory, faults and deadlocks. A run that shows one continues as far as possible. Only in this
 * mode do the other limits of `bound` apply, and only then are `listeners` called.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options; `NCCLTS_NO_LAUNCH` if no run
 * launches a kernel and there is no error; the errors of `run`, immediately.
 */
export async function explore(
  options: ExploreOptions,
  run: (backend: SimBackend) => Promise<void>,
  bound: ExploreBound,
  listeners: ExploreListeners = {},
): Promise<Exploration> {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  if (typeof run !== 'function') throw invalid('run', 'a function of a backend', run);
  const { resolved, isLocal } = reading('explore', () => {
    const { local, ...machine } = options;
    return {
      isLocal: expectLocal('explore', local),
      resolved: resolveSimOptions({ ...machine, gin: { ...machine.gin, delivery: 'random' } }),
    };
  });
  const taken = takeOptions('explore', bound, { runs: true, milliseconds: true, accesses: true, work: true });
  const most = expectInteger('runs', taken.runs, 1);
  const { milliseconds, accesses, work } = taken;
  if (milliseconds !== undefined) expectInteger('milliseconds', milliseconds, 1);
  if (accesses !== undefined) expectInteger('accesses', accesses, 1);
  if (work !== undefined) expectInteger('work', work, 1);
  if (resolved.mode === 'check') {
    const explored = await exploreWorld(resolved, run, taken, listeners);
    const isCut = listeners.isOver?.() === true;
    return Object.freeze({ ...explored, report: concludeCheck(explored.report, { isLocal, isCut }) });
  }
  let launches = 0;
  const enumeration = new Enumeration((rank) => Math.floor(rank / resolved.lsaSize));
  for (let scheduler = enumeration.begin(); scheduler !== undefined; scheduler = enumeration.begin()) {
    if (enumeration.runs > most) {
      if (launches === 0) throw noLaunch();
      return Object.freeze({ runs: most, complete: false });
    }
    const worlds: SimWorld[] = [];
    const backend = simWith(resolved, scheduler);
    try {
      await run(collectWorlds(backend, worlds));
    } catch (error) {
      if (!enumeration.ended) throw error;
    } finally {
      for (const world of worlds) {
        launches += world.launches;
        await world[Symbol.asyncDispose]();
      }
    }
  }
  if (launches === 0) throw noLaunch();
  return Object.freeze({ runs: enumeration.runs, complete: true });
}

function invalid(what: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `explore: ${what} must be ${allowed}; given ${showValue(given)}.`);
}
