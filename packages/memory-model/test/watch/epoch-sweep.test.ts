import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';

import {
  agentOf,
  Clock,
  EpochSweep,
  HappensBefore,
  type GroupClocks,
  type Seen,
  type WatchedSite,
} from '../../src/index.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const AGENTS = 3;
const THREADS = 2;
const WORDS = 6;

const sites: readonly WatchedSite[] = [
  { kind: 'store', bytes: 4 },
  { kind: 'load', bytes: 4 },
  { kind: 'store', bytes: 4 },
  { kind: 'load', bytes: 4, access: { order: 'acquire', scope: 'system' } },
  { kind: 'store', bytes: 4, access: { order: 'release', scope: 'system' } },
  { kind: 'atomic', bytes: 4, access: { order: 'relaxed', scope: 'device' } },
  { kind: 'store', bytes: 8, access: { order: 'relaxed', scope: 'system' } },
];

/** An access of a launch, or of the host after it. */
const step = fc.record({
  agent: fc.nat(AGENTS - 1),
  thread: fc.nat(THREADS - 1),
  site: fc.integer({ min: 1, max: 5 }),
  word: fc.nat(WORDS - 1),
  byHost: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/**
 * Runs launches of three streams one after another, with a host that waits for the first stream.
 * Searches for unused epochs after each launch.
 */
function run(launches: readonly (readonly Step[])[], sweeps: boolean): { seen: readonly unknown[]; epochs: number } {
  const seen: unknown[] = [];
  const told = (one: Seen): void => {
    if (one.kind !== 'race') throw new Error(`the engine has seen: ${one.kind}`);
    const { now, before, address, missing } = one;
    seen.push({ now, before, address, missing });
  };
  const engine = new HappensBefore({ onSeen: told });
  engine.addSites(sites);
  engine.given(0, 4 * WORDS);
  const sweep = new EpochSweep(engine, 1);
  const host = engine.open(engine.addAgent({ kind: 'host', rank: 0 }), 1, new Clock(0), 0, sites.length);
  const agents = Array.from({ length: AGENTS }, (_, rank) => engine.addAgent({ kind: 'cta', rank }));
  const streams = agents.map(() => new Clock(0));
  for (const steps of launches) {
    const groups = agents.map((agent, i) => {
      const begin = new Clock(0);
      begin.join(streams[i] ?? begin);
      return engine.open(agent, THREADS, begin, 0, sites.length);
    });
    for (const { agent, thread, site, word } of steps.filter(({ byHost }) => !byHost)) {
      const group = groups[agent];
      const what = sites[site];
      if (group === undefined || what === undefined) throw new RangeError('no such step');
      const { shadow, accesses } = engine;
      if (what.kind === 'atomic') engine.update(group, thread, shadow, 4 * word, site);
      else if (what.access !== undefined && what.kind === 'load') engine.load(group, thread, shadow, 4 * word, site);
      else if (what.access !== undefined) engine.store(group, thread, shadow, 4 * word, site);
      else if (what.kind === 'load') accesses.read(group, thread, shadow, 4 * word, 4, site);
      else accesses.write(group, thread, shadow, 4 * word, 4, site);
    }
    groups.forEach((group, i) => engine.close(group, streams[i] ?? new Clock(0)));
    const [first] = streams;
    if (first !== undefined) host.joinClock(0, first);
    for (const { word, site } of steps.filter(({ byHost }) => byHost)) {
      if (site % 2 === 0) engine.accesses.writeRange(host, engine.shadow, 4 * word, 4 * word + 4, 0);
      else engine.accesses.readRange(host, engine.shadow, 4 * word, 4 * word + 4, 0);
    }
    if (sweeps) sweep.rest([host]);
  }
  return { seen, epochs: engine.epochs.count };
}

test('the engine reports the same with and without reuse of epochs', () => {
  let fewer = 0;
  const launches = fc.array(fc.array(step, { maxLength: 12 }), { minLength: 2, maxLength: 12 });
  const property = fc.property(launches, (all) => {
    const kept = run(all, false);
    const reused = run(all, true);
    expect(reused.seen).toEqual(kept.seen);
    if (reused.epochs < kept.epochs) fewer++;
  });
  const numRuns = inject('slow') ? 300 : 40;
  fc.assert(property, { numRuns, seed: 3 });
  // Otherwise the test would prove nothing.
  expect(fewer).toBeGreaterThan(numRuns / 2);
});

test.for(slow)('identical launches need no more epochs, however many follow', () => {
  const launch = [1, 2, 4, 5].flatMap((site) =>
    Array.from({ length: WORDS }, (_, word): Step => ({ agent: 0, thread: 0, site, word, byHost: false })),
  );
  const after = (count: number): number =>
    run(
      Array.from({ length: count }, () => launch),
      true,
    ).epochs;
  expect(after(1000)).toBe(after(100));
});

/** The races, as `first second` by the agents' numbers, with a sweep that searches each time. */
function watched(): { engine: HappensBefore; sweep: EpochSweep; races: string[]; open: () => GroupClocks } {
  const races: string[] = [];
  const engine = new HappensBefore({
    onSeen: (seen) => {
      if (seen.kind === 'race') races.push(`${agentOf(seen.before.who)} ${agentOf(seen.now.who)}`);
    },
  });
  engine.addSites(sites);
  const open = (): GroupClocks =>
    engine.open(engine.addAgent({ kind: 'cta', rank: 0 }), 1, new Clock(0), 0, sites.length);
  return { engine, sweep: new EpochSweep(engine, 1), races, open };
}

test('a group that continues does not take an epoch that now belongs to another group', () => {
  const { engine, sweep, races, open } = watched();
  const { accesses, shadow } = engine;
  engine.given(0, 64);
  const host = open();
  accesses.write(host, 0, shadow, 0, 4, 2);
  host.joinClock(0, new Clock(0));
  const first = open();
  first.joinClock(0, host.peek(0).base);
  accesses.write(first, 0, shadow, 0, 4, 2);
  races.length = 0;
  sweep.rest([host]);
  accesses.write(open(), 0, shadow, 4, 4, 2);
  accesses.write(host, 0, shadow, 8, 4, 2);
  accesses.write(open(), 0, shadow, 8, 4, 2);
  expect(races).toEqual(['1 4']);
});

test('a wider write does not count as an earlier release', () => {
  const { engine, sweep, races, open } = watched();
  const { accesses, shadow } = engine;
  engine.given(0, 64);
  const [one, other, reader] = [open(), open(), open()];
  accesses.write(one, 0, shadow, 16, 4, 2);
  engine.store(one, 0, shadow, 4, 4);
  accesses.write(one, 0, shadow, 4, 4, 2);
  sweep.rest([one, other, reader]);
  engine.store(other, 0, shadow, 0, 6);
  engine.load(reader, 0, shadow, 4, 3);
  races.length = 0;
  accesses.read(reader, 0, shadow, 16, 4, 1);
  expect(races).toEqual(['1 3']);
});

test('initial values are ordered before all threads, even after epochs are reused', () => {
  const { engine, sweep, races, open } = watched();
  const { accesses, shadow } = engine;
  engine.given(0, 4);
  const one = open();
  accesses.write(one, 0, shadow, 0, 4, 2);
  sweep.rest([one]);
  accesses.write(one, 0, shadow, 4, 4, 2);
  engine.given(8, 12);
  accesses.read(open(), 0, shadow, 8, 4, 1);
  expect(races).toEqual([]);
});
