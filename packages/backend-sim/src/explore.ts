import { expectInteger, expectOptions, NcclError, showValue } from '@nccl-ts/core';
import type { CheckReport } from '@nccl-ts/findings';
import { collectWorlds } from './collect-worlds.ts';
import { exploreWorld, type ExploreBound, type ExploreListeners } from './exhaustive/explore-executions.ts';
import { Enumeration } from './schedule/enumeration.ts';
import { simWith, type SimBackend } from './sim-backend.ts';
import { resolveSimOptions, type SimOptions } from './sim-options.ts';
import type { SimWorld } from './sim-world.ts';

/** What was gone through. */
export interface Exploration {
  readonly runs: number;
  /** True if these were all runs there are; if not, the bound was reached. */
  readonly complete: boolean;
  /** With `mode: 'check'`: what was found, in all executions together. */
  readonly report?: CheckReport;
}

/**
 * Calls `run` once for every order in which CTAs can have their turns and the network can do what
 * kernels posted, with a backend that keeps to that order. `run` opens a world on it, does the same
 * each time, closes it, and looks at what came out. The seed and the delivery of `options` do not
 * count.
 *
 * Orders multiply: this is for programs of a few requests. A CTA's turn goes to its next wait, so
 * kernels that race with each other by plain loads and stores are not taken apart. Where what
 * follows was gone through before, the launches of a run fail with `NCCLTS_ABORTED`: `run` lets
 * that through, and counts nothing.
 *
 * With `mode: 'check'` it is called once for every execution that the memory model of PTX allows
 * instead: reads may be answered by any write that the model lets them see, loads may come late,
 * and nothing else than the program's own waits and barriers orders anything. What races, what is
 * read unwritten, faults and standstills are in `report`; the run that shows one is let go on as
 * far as it goes. Only then do the other limits of `bound` count, and only then is
 * `listeners.onFinding` called.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for options that cannot be; what `run` throws, at once.
 */
export async function explore(
  options: SimOptions,
  run: (backend: SimBackend) => Promise<void>,
  bound: ExploreBound,
  listeners: ExploreListeners = {},
): Promise<Exploration> {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  if (typeof run !== 'function') throw invalid('run', 'a function of a backend', run);
  const resolved = resolveSimOptions({ ...options, gin: { ...options.gin, delivery: 'random' } });
  expectOptions('explore', bound, { runs: true, milliseconds: true, accesses: true, work: true });
  const most = expectInteger('runs', bound.runs, 1);
  const { milliseconds, accesses, work } = bound;
  if (milliseconds !== undefined) expectInteger('milliseconds', milliseconds, 1);
  if (accesses !== undefined) expectInteger('accesses', accesses, 1);
  if (work !== undefined) expectInteger('work', work, 1);
  if (resolved.mode === 'check') return exploreWorld(resolved, run, bound, listeners);
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
