import { expectInteger, NcclError, reading, showValue, takeOptions } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import { collectWorlds } from './collect-worlds.ts';
import { exploreWorld, type ExploreListeners } from './exhaustive/explore-executions.ts';
import type { ExploreBound } from './exhaustive/explore-bound.ts';
import { Enumeration, simWith, resolveSimOptions } from '@nccl-ts/backend-sim/internal';
import type { SimBackend, SimOptions, SimWorld } from '@nccl-ts/backend-sim';

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
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for impossible options; the errors of `run`,
 * immediately.
 */
export async function explore(
  options: SimOptions,
  run: (backend: SimBackend) => Promise<void>,
  bound: ExploreBound,
  listeners: ExploreListeners = {},
): Promise<Exploration> {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  if (typeof run !== 'function') throw invalid('run', 'a function of a backend', run);
  const resolved = reading('explore', () =>
    resolveSimOptions({ ...options, gin: { ...options.gin, delivery: 'random' } }),
  );
  const taken = takeOptions('explore', bound, { runs: true, milliseconds: true, accesses: true, work: true });
  const most = expectInteger('runs', taken.runs, 1);
  const { milliseconds, accesses, work } = taken;
  if (milliseconds !== undefined) expectInteger('milliseconds', milliseconds, 1);
  if (accesses !== undefined) expectInteger('accesses', accesses, 1);
  if (work !== undefined) expectInteger('work', work, 1);
  if (resolved.mode === 'check') return exploreWorld(resolved, run, taken, listeners);
  const enumeration = new Enumeration((rank) => Math.floor(rank / resolved.lsaSize));
  for (let scheduler = enumeration.begin(); scheduler !== undefined; scheduler = enumeration.begin()) {
    if (enumeration.runs > most) return Object.freeze({ runs: most, complete: false });
    const worlds: SimWorld[] = [];
    const backend = simWith(resolved, scheduler);
    try {
      await run(collectWorlds(backend, worlds));
    } catch (error) {
      if (!enumeration.ended) throw error;
    } finally {
      for (const world of worlds) await world[Symbol.asyncDispose]();
    }
  }
  return Object.freeze({ runs: enumeration.runs, complete: true });
}

function invalid(what: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `explore: ${what} must be ${allowed}; given ${showValue(given)}.`);
}
