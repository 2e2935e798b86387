import { expect, inject, test } from 'vitest';
import { OpenSubject } from '../src/open-subject.ts';
import { subjects } from '../src/subjects.ts';
import { trials } from '../src/trials.ts';

async function open(name: string): Promise<OpenSubject> {
  const subject = subjects.find((one) => one.name === name);
  if (subject === undefined) throw new RangeError(`There is no program ${name}.`);
  return OpenSubject.open(subject, trials.slice(1, 2));
}

const seen = { kind: 'exhaustive', schedules: 1 };

// It takes as long as all other tests of this package.
const isWhole = inject('everyCase');
test.runIf(isWhole)('a flush may omit the last request if it is a signal (with NCCLTS_EVERY_CASE)', async () => {
  const subject = await open('conformance/gin/barriers/fence-put');
  expect(await subject.proofOf('exchange_world_put', 'gin.flush#1/waitAll#1:wait-one-less', 0)).toMatchObject(seen);
});

test('compare-and-swap may have a weaker order if all operations are the same', async () => {
  const subject = await open('conformance/atomics/cas-loop');
  for (const order of ['acquire', 'release']) {
    const proof = await subject.proofOf('compareAndSwapLoop', `atomic#1:order-weakened:${order}`, 0);
    expect(proof).toMatchObject(seen);
  }
});
