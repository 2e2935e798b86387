import { World } from '@nccl-ts/communicator';
import { wrapAroundOn } from '@nccl-ts/conformance';
import { expect, test } from 'vitest';
import { OpenSubject } from '../src/open-subject.ts';
import { trials } from '../src/trials.ts';

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
