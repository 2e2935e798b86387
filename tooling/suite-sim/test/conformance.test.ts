import { sim } from '@nccl-ts/backend-sim';
import { allCases, caseRuns, shapeName, type CaseRun } from '@nccl-ts/conformance';
import { conformance, type RunSample } from '@nccl-ts/conformance/vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/**
 * The quick tests have the first case of each theme, and of some themes in the other variants. The
 * slow ones have every other case in one of its shapes, and the next case in another one. With
 * NCCLTS_EVERY_CASE set, they have every case in all of them, two minutes. To write the lock file
 * again, set it.
 */
const slow = inject('slow');
const lock = '../conformance.lock.json';
const places = new Map<string, number>(allCases.map(({ id }, i) => [id, i]));
const inTurn = caseRuns(allCases).filter(
  ({ case: one, shape }) => (one.shapes.indexOf(shape) + (places.get(one.id) ?? 0)) % one.shapes.length === 0,
);
const themeOf = ({ case: { id }, variant }: CaseRun): string => `${variant} ${id.split('/', 1).join('')}`;
const firsts = new Map(inTurn.toReversed().map((run) => [themeOf(run), runName(run)]));
const quick = new Set([...firsts.values()].filter((name, i) => name.startsWith('plain ') || i % 4 === 0));
const chosen = new Set(inTurn.map(runName).filter((name) => quick.has(name) !== slow));
const sample: RunSample = {
  takes: (run) => chosen.has(runName(run)),
  lockText: readFileSync(join(import.meta.dirname, lock), 'utf8'),
};

conformance({
  name: 'sim',
  backend: (shape) => sim(shape),
  expectations: [],
  lock,
  ...(!(slow && inject('everyCase')) && { sample }),
});

function runName({ case: { id }, shape, variant }: CaseRun): string {
  return `${variant} ${id} ${shapeName(shape)}`;
}
