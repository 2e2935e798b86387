import { World } from '@nccl-ts/communicator';
import { wrapAroundOn } from '@nccl-ts/conformance';
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

test('if epochs repeat and slots are cleared, a message may be lost without either fence', async () => {
  const around = { team: 'lsa', ctas: 1, threads: 1, begin: 2 ** 32 - 2, epochs: 3, end: 3 } as const;
  const subject = await OpenSubject.open(
    {
      name: 'the end of the numbers',
      shape: { ranks: 2, lsaSize: 2 },
      run: async (backend) => {
        await using world = await World.open({ backend });
        await world.run(async (comm) => wrapAroundOn(comm, around));
        return true;
      },
    },
    trials,
  );
  for (const fence of ['fence#1', 'fence#2']) {
    const id = `llA2A.session.endEpoch#1/${fence}:fence-removed`;
    expect(await subject.fateOf('exchange', id)).toMatchObject({ kind: 'survived' });
    expect(await subject.proofOf('exchange', id, 1000)).toEqual({ kind: 'wrong', by: 'wrong-result' });
  }
  // A thread that has a value of every thread of the group is ordered after all of them.
  const proof = await subject.proofOf('exchange', 'llA2A.session.endEpoch#1/sync#2:sync-removed', 0);
  expect(proof).toMatchObject(seen);
});

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
