import { lockText, recordBackend, type CaseVerdict } from '@nccl-ts/conformance';
import { describe, expect, it } from 'vitest';
import { stubBackend } from './support/stub-backend.ts';

function verdict(id: string, more: Partial<CaseVerdict> = {}): CaseVerdict {
  return { case: id, ranks: 2, lsaSize: 2, variant: 'plain', verdict: 'pass', milliseconds: 3, ...more };
}

describe('the text of a lock file', () => {
  it('has one verdict for a case whose runs agree, and all verdicts if they differ', () => {
    const text = lockText([
      verdict('b/two', { variant: 'recorded', verdict: 'fail', code: 'mismatch', reason: 'changes' }),
      verdict('b/two', { ranks: 4, lsaSize: 4 }),
      verdict('b/two', { lsaSize: 1 }),
      verdict('a/one', { variant: 'sub-team' }),
      verdict('a/one'),
      verdict('c/three', { verdict: 'unsupported', reason: 'lacks f64' }),
    ]);
    expect(text).toMatchInlineSnapshot(`
      "{
        "a/one": "pass",
        "b/two": {
          "4": "pass",
          "2 recorded": "fail: mismatch",
          "2/1": "pass"
        },
        "c/three": "unsupported"
      }
      "
    `);
  });

  it('does not depend on the order of the runs or on time', () => {
    const runs = [verdict('a/one'), verdict('b/two', { ranks: 4, verdict: 'fail', code: 'timeout' }), verdict('b/two')];
    const slower = runs.toReversed().map((run) => ({ ...run, milliseconds: 999 }));
    expect(lockText(slower)).toBe(lockText(runs));
  });
});

describe('a recorder', () => {
  const options = { onStall: (): void => {} };

  it('reports nothing if everything was freed', async () => {
    const record = recordBackend(stubBackend({ ranks: 2, lsaSize: 2 }));
    const world = await record.backend.open(options);
    await world[Symbol.asyncDispose]();
    expect(record.problems()).toEqual([]);
  });

  it('reports worlds that were not closed and resources freed twice', async () => {
    const record = recordBackend(stubBackend({ ranks: 2, lsaSize: 2 }));
    const world = await record.backend.open(options);
    await world.deregisterWindow({ bytes: 4, flags: 1 });
    expect(record.problems()).toEqual(['1 worlds were opened and not closed.', 'A window was deregistered twice.']);
  });

  it('forwards the methods of the world, and has no others', async () => {
    const record = recordBackend(stubBackend({ ranks: 2, lsaSize: 1 }));
    const world = await record.backend.open(options);
    expect(world.topology).toEqual({ nRanks: 2, lsaSize: 1, nLsaTeams: 2 });
    expect(await world.createStream(1)).toEqual({ rank: 1 });
    expect(world).not.toHaveProperty('multimemPointer');
    expect(world.support).toBeUndefined();
  });
});
