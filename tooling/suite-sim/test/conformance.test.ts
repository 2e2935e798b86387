import { sim } from '@nccl-ts/backend-sim';
import { allCases } from '@nccl-ts/conformance';
import { conformance, type RunSample } from '@nccl-ts/conformance/vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/**
 * Every case in one of its shapes, and the next case in another one; with NCCLTS_EVERY_CASE set, in
 * all of them, two minutes. To write the lock file again, set it.
 */
const everyCase = inject('everyCase');
const lock = '../conformance.lock.json';
const places = new Map<string, number>(allCases.map(({ id }, i) => [id, i]));
const sample: RunSample = {
  takes: ({ case: one, shape }) => (one.shapes.indexOf(shape) + (places.get(one.id) ?? 0)) % one.shapes.length === 0,
  lockText: readFileSync(join(import.meta.dirname, lock), 'utf8'),
};

conformance({
  name: 'sim',
  backend: (shape) => sim(shape),
  expectations: [],
  lock,
  ...(!everyCase && { sample }),
});
