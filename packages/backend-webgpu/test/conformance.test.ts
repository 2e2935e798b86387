import { webgpu } from '@nccl-ts/backend-webgpu';
import { allCases, caseRuns, shapeName, type CaseRun } from '@nccl-ts/conformance';
import { conformance, type RunSample } from '@nccl-ts/conformance/vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectations } from './support/expectations.ts';

// All worlds share it, because opening one costs as much as a small case, and each reuses what
// others have compiled.
const acquired = noDevice === undefined ? await openDevice() : undefined;
const software = acquired?.software === true;

/**
 * One of five cases runs in one of its shapes, and the next in the next. Of these, the quick tests
 * have the first of each theme. With NCCLTS_EVERY_CASE set, all cases run in all shapes and in every
 * way, which takes some minutes.
 */
const everyCase = inject('everyCase') && inject('slow');
const lock = '../conformance.lock.json';
const places = new Map<string, number>(allCases.map(({ id }, i) => [id, i]));
const inTurn = caseRuns(allCases).filter(({ case: one, shape, variant }) => {
  const place = (places.get(one.id) ?? 0) / 2;
  const isTaken = Number.isInteger(place) && place % 5 < 2;
  return variant !== 'recorded' && isTaken && one.shapes.indexOf(shape) === place % one.shapes.length;
});
const firsts = new Map(inTurn.toReversed().map((run) => [run.case.id.split('/', 1).join(''), runName(run)]));
const quick = new Set(firsts.values());
const chosen = new Set(inTurn.map(runName).filter((name) => quick.has(name) !== inject('slow')));
const sample: RunSample = {
  takes: (run) => chosen.has(runName(run)),
  ...(software && { lockText: readFileSync(join(import.meta.dirname, lock), 'utf8') }),
};

describe.skipIf(noDevice !== undefined)(`the conformance suite in Node${unlessDevice}`, () => {
  conformance({
    name: 'webgpu',
    backend: (shape) => webgpu({ ...shape, ...(acquired !== undefined && { device: acquired.device }) }),
    concurrent: true,
    // The behaviour of other adapters is not known.
    ...(software && { expectations, lock }),
    ...(!everyCase && { sample }),
  });
});

function runName({ case: { id }, shape, variant }: CaseRun): string {
  return `${variant} ${id} ${shapeName(shape)}`;
}
