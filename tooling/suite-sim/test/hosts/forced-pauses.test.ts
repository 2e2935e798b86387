import type { SimOptions, SimWorld } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, decorateBackend, runCase, type Case, type CaseRun } from '@nccl-ts/conformance';
import { describe, expect, inject, it } from 'vitest';

import { resolveSimOptions, simWith, type Looks } from '@nccl-ts/backend-sim/internal';

/**
 * Cases with loops, barriers, shared memory, groups of lanes, and waits for the network. All of
 * them read the clock.
 */
const ids: ReadonlySet<string> = new Set<Case['id']>([
  'language/while',
  'language/break-continue',
  'language/grid-stride',
  'barriers/order/acq-rel',
  'coops/divergent',
  'gin/barriers/world',
  'gin/time-limits/in-time',
  'memory/large-shared-array',
  'reduce-copy/multimem-reduce-sum-lsa-copy/pointer',
]);

/** Returns the verdict of a run, the bytes that hosts read, and the schedule. */
async function outcome(run: CaseRun, options: Omit<SimOptions, 'ranks'>, looks?: Looks): Promise<object> {
  const reads: string[] = [];
  const worlds: SimWorld[] = [];
  const parts = { compiles: 'all', native: false, ...(looks === undefined ? {} : { looks }) } as const;
  const { verdict } = await runCase(run, {
    backend: (shape) => {
      const backend = simWith(resolveSimOptions({ ...shape, ...options }), undefined, parts);
      const open: typeof backend.open = async (how) => {
        const world = await backend.open(how);
        worlds.push(world);
        return world;
      };
      return decorateBackend({ ...backend, open }, (world) => ({
        read: async (buffer, into, offset) => {
          await world.read(buffer, into, offset);
          reads.push(new Uint8Array(into.buffer, into.byteOffset, into.byteLength).join(' '));
        },
      }));
    },
  });
  const schedule = worlds.map(({ eventHash, turns }) => [eventHash, turns]);
  return { ...verdict, milliseconds: 0, reads, schedule };
}

const all = caseRuns(allCases).filter(({ variant, case: { id } }) => variant === 'plain' && ids.has(id));
const runs = all.filter(({ case: { id } }, i) => all.findIndex((other) => other.case.id === id) === i);
const ways = [{ engine: 'js' }, { engine: 'wasm' }] as const;

describe('a turn that pauses at every opportunity changes nothing', () => {
  describe.each(ways)('of %o', (options) => {
    // The quick tests have one of four.
    const chosen = runs.filter((_, i) => (i % 4 === 0) !== inject('slow'));
    it.each(chosen)('$case.id', async (run) => {
      let looks = 0;
      const paused = await outcome(run, options, { rounds: 2, isLate: () => (looks++, true) });
      expect(paused).toEqual(await outcome(run, options));
      expect(looks).toBeGreaterThan(0);
    });
  });
});
