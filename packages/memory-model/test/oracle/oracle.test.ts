import { describe, expect, test } from 'vitest';

import { add, agent, barrier, cas, exch, fence, load, store, strong, wait, when } from './operations.ts';
import { verdictOf } from './oracle.ts';
import type { Verdict } from './oracle.ts';
import { smallProgram } from './small-program.ts';
import type { Agent, FenceOrder, Operation } from './small-program.ts';

const relaxed = strong('relaxed');
const acquire = strong('acquire');
const release = strong('release');

function run(...agents: readonly Agent[]): Verdict {
  return verdictOf(smallProgram('test', agents));
}

describe('coherence', () => {
  test('a thread sees its own writes, in their order', () => {
    const { outcomes, executions } = run(agent('0', store('x', 1), load('a', 'x'), store('x', 2), load('b', 'x')));
    expect(outcomes).toEqual(['0:a=1 0:b=2 x=2']);
    expect(executions).toBe(1);
  });

  test('strong writes leave one last value, and racing weak writes may leave any of their values', () => {
    const strongly = run(
      agent('0', store('x', 1, relaxed)),
      agent('1', store('x', 2, relaxed), load('a', 'x', relaxed)),
    );
    expect(strongly.outcomes).toEqual(['1:a=1 x=1', '1:a=2 x=1', '1:a=2 x=2']);
    const weakly = run(agent('0', store('x', 1)), agent('1', store('x', 2), load('a', 'x')));
    expect(weakly.outcomes).toEqual(['1:a=1 x=1', '1:a=1 x=2', '1:a=2 x=1', '1:a=2 x=2']);
  });

  test('accesses that causality orders stay in order, whatever their strength', () => {
    const { outcomes, races } = run(
      agent('0', store('x', 1), store('f', 1, release)),
      agent('1', wait('f', 1, acquire), store('x', 2)),
    );
    expect(outcomes).toEqual(['f=1 x=2']);
    expect(races).toEqual([]);
  });
});

describe('read-modify-writes', () => {
  const adder = (place: string, scope: 'block' | 'device' | 'system') =>
    agent(place, add('a', 'c', 1, strong('relaxed', scope)));

  test('additions are never lost if their scopes include each other', () => {
    const all = run(adder('0', 'system'), adder('0.1', 'device'), adder('0.2', 'device'));
    expect(new Set(all.outcomes.map((outcome) => outcome.split(' ').at(-1)))).toEqual(new Set(['c=3']));
    expect(all.outcomes).toHaveLength(6);
    expect(all.races).toEqual([]);
  });

  test('an addition whose scope excludes the other one may lose it, and races', () => {
    const { outcomes, races } = run(adder('0', 'block'), adder('0.1', 'device'));
    expect(outcomes).toContain('0:a=0 1:a=0 c=1');
    expect(races).toEqual(['0.0 1.0']);
  });

  test('a cas that reads another value writes nothing', () => {
    const { outcomes } = run(
      agent('0', cas('a', 'c', 0, 1, relaxed)),
      agent('1', cas('b', 'c', 0, 2, relaxed), cas('d', 'c', 3, 9, relaxed)),
    );
    expect(outcomes).toEqual(['0:a=0 1:b=1 1:d=1 c=1', '0:a=2 1:b=0 1:d=2 c=2']);
  });

  test('exch writes its operand, which may be a register', () => {
    const { outcomes } = run(
      agent('0', exch('a', 'c', 4, relaxed), exch('b', 'c', { register: 'a', constant: 1 }, relaxed)),
    );
    expect(outcomes).toEqual(['0:a=0 0:b=4 c=1']);
  });
});

describe('release sequences', () => {
  const writer = agent('0', store('x', 1), store('f', 1, release));
  const reader = agent('2', wait('f', 2, acquire), load('a', 'x'));

  test('continue through read-modify-writes of other threads', () => {
    const { outcomes, races } = run(writer, agent('1', add('b', 'f', 1, relaxed)), reader);
    expect(outcomes).toEqual(['1:b=1 2:a=1 f=2 x=1']);
    expect(races).toEqual([]);
  });

  test('end at a store of another thread, and at a read-modify-write of too narrow a scope', () => {
    const stored = run(writer, agent('1', wait('f', 1, relaxed), store('f', 2, relaxed)), reader);
    expect(stored.outcomes).toEqual(['2:a=0 f=2 x=1', '2:a=1 f=2 x=1']);
    expect(stored.races).toEqual(['0.0 2.1']);
    const narrow = run(writer, agent('1', add('b', 'f', 1, strong('relaxed', 'device'))), reader);
    expect(narrow.races).toContain('0.0 2.1');
  });

  test('continue through a later strong store of the same thread, and not through a weak one', () => {
    const later = run(agent('0', store('x', 1), store('f', 1, release), store('f', 2, relaxed)), reader);
    expect(later.races).toEqual([]);
    const weak = run(agent('0', store('x', 1), store('f', 1, release), store('f', 2)), reader);
    expect(weak.races).toEqual(['0.0 1.1', '0.2 1.0']);
  });
});

describe('acquire patterns', () => {
  const writer = agent('0', store('x', 1), store('f', 1, release));

  test('consist of a strong read and a fence, or of an acquire read of the same location', () => {
    const fenced = run(writer, agent('1', wait('f', 1, relaxed), fence('acquire'), load('a', 'x')));
    expect(fenced.races).toEqual([]);
    const reread = run(writer, agent('1', wait('f', 1, relaxed), load('b', 'f', acquire), load('a', 'x')));
    expect(reread.races).toEqual([]);
    const moved = run(
      writer,
      agent('2', store('f', 2, relaxed)),
      agent('1', wait('f', 1, relaxed), load('b', 'f', acquire), when('b', 2, load('a', 'x'))),
    );
    expect(moved.races).toEqual([]);
    const elsewhere = run(writer, agent('1', wait('f', 1, relaxed), load('b', 'g', acquire), load('a', 'x')));
    expect(elsewhere.races).toEqual(['0.0 1.2']);
  });

  test('need scopes that include each other at the first and last operation, and not between', () => {
    const narrowFence = run(writer, agent('1', wait('f', 1, relaxed), fence('acquire', 'device'), load('a', 'x')));
    expect(narrowFence.races).toEqual(['0.0 1.2']);
    const scoped = agent('0', store('x', 1), fence('release'), store('f', 1, strong('relaxed', 'device')));
    const sameGpu = run(
      scoped,
      agent('0.1', wait('f', 1, strong('relaxed', 'device')), fence('acquire'), load('a', 'x')),
    );
    expect(sameGpu.races).toEqual([]);
  });
});

describe('fences', () => {
  const sender = (order: FenceOrder) => agent('0', store('x', 1), fence(order), store('f', 1, relaxed));
  const receiver = (order: FenceOrder) => agent('1', wait('f', 1, relaxed), fence(order), load('a', 'x'));

  test.each(['release', 'acq_rel', 'seq_cst'] as const)('%s begins a release pattern', (order) => {
    expect(run(sender(order), receiver('acquire')).races).toEqual([]);
    expect(run(sender('acquire'), receiver(order)).races).toEqual(['0.0 1.2']);
  });

  test.each(['acquire', 'acq_rel', 'seq_cst'] as const)('%s ends an acquire pattern', (order) => {
    expect(run(sender('release'), receiver(order)).races).toEqual([]);
    expect(run(sender(order), receiver('release')).races).toEqual(['0.0 1.2']);
  });
});

describe('Fence-SC', () => {
  const side = (place: string, own: string, other: string, scope: 'device' | 'system') =>
    agent(place, store(own, 1), fence('seq_cst', scope), load('a', other));

  test('orders any two fences one way or the other', () => {
    const { outcomes, races } = run(side('0', 'x', 'y', 'system'), side('1', 'y', 'x', 'system'));
    expect(outcomes).toEqual(['0:a=0 1:a=1 x=1 y=1', '0:a=1 1:a=0 x=1 y=1', '0:a=1 1:a=1 x=1 y=1']);
    expect(races).toEqual(['0.0 1.2', '0.2 1.0']);
  });

  test('orders them only if each scope includes the other', () => {
    const { outcomes } = run(side('0', 'x', 'y', 'system'), side('1', 'y', 'x', 'device'));
    expect(outcomes).toContain('0:a=0 1:a=0 x=1 y=1');
  });

  test('orders fences consistently with causality', () => {
    const { outcomes } = run(
      agent('0', load('a', 'y'), fence('seq_cst'), store('f', 1, release)),
      agent('1', wait('f', 1, acquire), fence('seq_cst'), store('y', 1)),
    );
    expect(outcomes).toEqual(['0:a=0 f=1 y=1']);
  });

  test('places a seq_cst access after a fence of its scope', () => {
    const access = (place: string, own: string, other: string) =>
      agent(place, store(own, 1, strong('seq_cst')), load('a', other, strong('seq_cst')));
    const { outcomes, races } = run(access('0', 'x', 'y'), access('1', 'y', 'x'));
    expect(outcomes).not.toContain('0:a=0 1:a=0 x=1 y=1');
    expect(outcomes).toHaveLength(3);
    expect(races).toEqual([]);
  });
});

describe('thin air', () => {
  function outcomesOf(first: Agent, second: Agent): readonly string[] {
    return run(first, second).outcomes;
  }

  test('values do not appear through data dependencies, even if the program contains the value', () => {
    const copy = agent('0', load('a', 'x'), store('y', 'a'));
    const back = agent('1', load('a', 'y'), store('x', 'a'), when('a', 7, store('x', 1)));
    expect(outcomesOf(copy, back)).toEqual(['0:a=0 1:a=0 x=0 y=0']);
    const swap = agent('0', load('a', 'x'), exch('b', 'y', 'a', relaxed));
    expect(outcomesOf(swap, back)).toEqual(['0:a=0 0:b=0 1:a=0 x=0 y=0']);
  });

  test('values do not appear through conditions or waits', () => {
    const guarded = (place: string, from: string, to: string) =>
      agent(place, load('a', from), when('a', 1, store(to, 1)));
    expect(outcomesOf(guarded('0', 'x', 'y'), guarded('1', 'y', 'x'))).toEqual(['0:a=0 1:a=0 x=0 y=0']);
    const waits = run(agent('0', wait('x', 1), store('y', 1)), agent('1', wait('y', 1), store('x', 1)));
    expect(waits).toMatchObject({ outcomes: [], deadlocks: true });
  });

  test('an unconditional store may come early, unless branches count as dependencies', () => {
    const unguarded = (place: string, from: string, to: string, body: Operation) =>
      agent(place, load('a', from), when('a', 7, body), store(to, 1));
    const early = '0:a=1 1:a=1 x=1 y=1';
    const passing = smallProgram('passing', [
      unguarded('0', 'x', 'y', fence('acquire')),
      unguarded('1', 'y', 'x', fence('acquire')),
    ]);
    expect(verdictOf(passing).outcomes).toContain(early);
    expect(verdictOf(passing, { control: 'after' }).outcomes).not.toContain(early);
    const blocking = smallProgram('blocking', [
      unguarded('0', 'x', 'y', fence('acquire')),
      unguarded('1', 'y', 'x', wait('z', 1)),
    ]);
    expect(verdictOf(blocking).outcomes).not.toContain(early);
  });
});

describe('barriers', () => {
  test('order earlier accesses of one thread before later ones of another thread of the CTA', () => {
    const { outcomes, races } = run(
      agent('0.0.0', store('x', 1), barrier(), load('a', 'y')),
      agent('0.0.1', store('y', 1), barrier(), load('a', 'x')),
    );
    expect(outcomes).toEqual(['0:a=1 1:a=1 x=1 y=1']);
    expect(races).toEqual([]);
  });

  test('match by their count: the first with the first, the second with the second', () => {
    const { races } = run(
      agent('0.0.0', barrier(), store('x', 1), barrier()),
      agent('0.0.1', barrier(), load('a', 'x'), barrier(), load('b', 'x')),
    );
    expect(races).toEqual(['0.1 1.1']);
  });

  test('block a thread forever if its CTA does not follow, and never block threads of other CTAs', () => {
    const { outcomes, deadlocks } = run(agent('0.0.0', barrier(), store('x', 1)), agent('0.0.1', store('x', 2)));
    expect({ outcomes, deadlocks }).toEqual({ outcomes: [], deadlocks: true });
    expect(run(agent('0.0', barrier(), store('x', 1)), agent('0.1', store('x', 2))).deadlocks).toBe(false);
  });

  test('may be in a body that some threads skip', () => {
    const { outcomes, deadlocks } = run(
      agent('0.0.0', load('a', 'f', relaxed), when('a', 1, barrier())),
      agent('0.0.1', store('f', 1, relaxed), barrier()),
    );
    expect({ outcomes, deadlocks }).toEqual({ outcomes: ['0:a=1 f=1'], deadlocks: true });
  });
});

describe('waits', () => {
  test('end when the awaited value is written', () => {
    const { outcomes, deadlocks } = run(agent('0', store('f', 1, relaxed)), agent('1', wait('f', 1, relaxed)));
    expect({ outcomes, deadlocks }).toEqual({ outcomes: ['f=1'], deadlocks: false });
  });

  test('block if the value is never written, or may be overwritten before it is read', () => {
    expect(run(agent('0', store('f', 2, relaxed)), agent('1', wait('f', 1, relaxed)))).toMatchObject({
      outcomes: [],
      deadlocks: true,
    });
    const both = agent('0', store('f', 1, relaxed), store('f', 2, relaxed));
    expect(run(both, agent('1', wait('f', 1, relaxed)))).toMatchObject({ outcomes: ['f=2'], deadlocks: true });
  });

  test('do not hide a race that occurs before they block', () => {
    const { outcomes, races } = run(
      agent('0', store('x', 1), wait('f', 1, relaxed)),
      agent('1', store('x', 2), wait('f', 1, relaxed)),
    );
    expect({ outcomes, races }).toEqual({ outcomes: [], races: ['0.0 1.0'] });
  });

  test('may race, at an early poll, with accesses after their last poll', () => {
    const program = smallProgram('polls', [
      agent('0', store('f', 5), store('f', 1, release)),
      agent('1', wait('f', 1, acquire)),
    ]);
    expect(verdictOf(program).races).toEqual([]);
    expect(verdictOf(program, { failedPolls: true }).races).toEqual(['0.0 1.0']);
  });
});

describe('races', () => {
  test('need a write, and a weak access on one side', () => {
    expect(run(agent('0', load('a', 'x')), agent('1', load('a', 'x'))).races).toEqual([]);
    expect(run(agent('0', store('x', 1, relaxed)), agent('1', load('a', 'x'))).races).toEqual(['0.0 1.0']);
    expect(run(agent('0', store('x', 1, relaxed)), agent('1', load('a', 'x', relaxed))).races).toEqual([]);
    const device = strong('relaxed', 'device');
    expect(run(agent('0', store('x', 1, device)), agent('1', load('a', 'x', relaxed))).races).toEqual(['0.0 1.0']);
  });

  test('are found in a body that runs only after a mistake', () => {
    const { races } = run(
      agent('0', store('x', 1), store('f', 1, release)),
      agent('1', load('a', 'f', acquire), when('a', 1, load('b', 'x')), when('a', 0, store('x', 2))),
    );
    expect(races).toEqual(['0.0 1.4']);
  });
});

test('a program may have more operations than a word has bits', () => {
  const chain = Array.from({ length: 35 }, (_, index) => store('x', index + 1));
  const { outcomes, races } = run(
    agent('0', ...chain, store('f', 1, release)),
    agent('1', load('a', 'f', acquire), when('a', 1, load('b', 'x'))),
  );
  expect(outcomes).toEqual(['1:a=0 1:b=0 f=1 x=35', '1:a=1 1:b=35 f=1 x=35']);
  expect(races).toEqual([]);
}, 30_000);
