import * as fc from 'fast-check';
import { expect, inject, test } from 'vitest';

import { agentOf, Clock, HappensBefore, threadOf, type GroupClocks, type WatchedSite } from '../../src/index.ts';

const AGENTS = 24;
const THREADS = 4;
const WORDS = 3;
/** Programs without any order; with NCCLTS_EVERY_CASE set, more. */
const runs = inject('everyCase') ? 40 : 12;

const relaxed = { order: 'relaxed', scope: 'system' } as const;

/** Location 0 is the source of initial values. */
const sites: readonly WatchedSite[] = [
  { kind: 'store', bytes: 4 },
  { kind: 'load', bytes: 4 },
  { kind: 'load', bytes: 4 },
  { kind: 'store', bytes: 4 },
  { kind: 'store', bytes: 4 },
  { kind: 'load', bytes: 4, access: relaxed },
  { kind: 'store', bytes: 4, access: relaxed },
  { kind: 'store', bytes: 8, access: relaxed },
  { kind: 'load', bytes: 1 },
  { kind: 'store', bytes: 1 },
];

interface Step {
  readonly agent: number;
  readonly thread: number;
  readonly site: number;
  readonly word: number;
  /** True if the threads of the agent meet first. */
  readonly meets: boolean;
}

function step(meets: fc.Arbitrary<boolean>): fc.Arbitrary<Step> {
  return fc.record({
    agent: fc.nat(AGENTS - 1),
    thread: fc.nat(THREADS - 1),
    // A plain store of a whole word replaces all earlier accesses.
    site: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom(1, 2, 5, 6, 7, 8) },
      { weight: 1, arbitrary: fc.constantFrom(3, 4, 9) },
    ),
    word: fc.nat(WORDS - 1),
    meets,
  });
}

interface Outcome {
  /** The pairs of source locations that race. */
  readonly pairs: readonly string[];
  /** The total number of races. */
  readonly sightings: number;
}

/** Runs the steps. `retained` is the number of racing accesses to a word that are kept. */
function run(steps: readonly Step[], kept?: number): Outcome {
  const pairs = new Set<string>();
  let sightings = 0;
  const engine = new HappensBefore({
    onSeen: (seen) => {
      if (seen.kind !== 'race') throw new Error(`the engine has seen: ${seen.kind}`);
      pairs.add(`${seen.before.site} ${seen.now.site}`);
      sightings++;
    },
  });
  if (kept !== undefined) engine.accesses.retained = kept;
  engine.addSites(sites);
  engine.given(0, 8 * WORDS);
  const groups = Array.from({ length: AGENTS }, (_, rank): GroupClocks => {
    const agent = engine.addAgent({ kind: 'cta', rank });
    return engine.open(agent, THREADS, new Clock(0), 0, sites.length);
  });
  for (const { agent, thread, site, word, meets } of steps) {
    const group = groups[agent];
    const what = sites[site];
    if (group === undefined || what === undefined) throw new RangeError('no such step');
    if (meets) group.meetAll();
    const { shadow, accesses } = engine;
    if (what.access !== undefined && what.kind === 'load') engine.load(group, thread, shadow, 8 * word, site);
    else if (what.access !== undefined) engine.store(group, thread, shadow, 8 * word, site);
    else if (what.kind === 'load') accesses.read(group, thread, shadow, 8 * word, what.bytes, site);
    else accesses.write(group, thread, shadow, 8 * word, what.bytes, site);
  }
  return { pairs: [...pairs].toSorted(), sightings };
}

test('without any order, every racing pair of source locations is reported although old accesses are dropped', () => {
  const shorter = { usual: 0, few: 0 };
  const property = fc.property(fc.array(step(fc.constant(false)), { minLength: 200, maxLength: 600 }), (steps) => {
    const all = run(steps, Infinity);
    for (const [name, kept] of [
      ['usual', undefined],
      ['few', 4],
    ] as const) {
      const { pairs, sightings } = run(steps, kept);
      expect(pairs).toEqual(all.pairs);
      if (sightings < all.sightings) shorter[name]++;
    }
  });
  fc.assert(property, { numRuns: runs, seed: 7 });
  // Otherwise the test would prove nothing.
  expect(shorter.usual).toBeGreaterThan((runs * 3) / 8);
  expect(shorter.few).toBeGreaterThan((runs * 3) / 8);
});

test('in small programs whose threads synchronize, every occurrence of a race is reported', () => {
  const property = fc.property(fc.array(step(fc.boolean()), { maxLength: 16 }), (steps) => {
    expect(run(steps)).toEqual(run(steps, Infinity));
  });
  fc.assert(property, { numRuns: 300, seed: 7 });
});

test('the newest racing accesses of a source location are kept, and those of another agent', () => {
  const at = (agent: number, thread: number, site: number, meets = false): Step => ({
    agent,
    thread,
    site,
    word: 0,
    meets,
  });
  const stores = Array.from({ length: 8 }, (_, agent) => at(agent, 0, 6));
  // The read at location 1 races, so the list of stores is cut. The read at location 2 is after
  // both stores of its own agent.
  const steps = [...stores, at(9, 0, 6), at(9, 1, 6), at(10, 0, 1), at(9, 0, 2, true)];
  expect(run(steps, 4).pairs).toEqual(['6 1', '6 2']);
});

test('a word without races keeps all of its accesses, however many there are', () => {
  const found: string[] = [];
  const engine = new HappensBefore({
    onSeen: (seen) => {
      if (seen.kind === 'race') found.push(`${agentOf(seen.before.who)}.${threadOf(seen.before.who)}`);
    },
  });
  engine.addSites(sites);
  engine.given(0, 8);
  const reader = engine.open(engine.addAgent({ kind: 'cta', rank: 0 }), 200, new Clock(0), 0, sites.length);
  const writer = engine.open(engine.addAgent({ kind: 'cta', rank: 1 }), 1, new Clock(0), 0, sites.length);
  for (let thread = 0; thread < 200; thread++) engine.accesses.read(reader, thread, engine.shadow, 0, 4, 1);
  // The writer is ordered after all threads except one.
  for (let thread = 0; thread < 200; thread++) if (thread !== 3) writer.join(0, reader.snapshot(thread));
  engine.accesses.write(writer, 0, engine.shadow, 0, 4, 3);
  expect(found).toEqual(['1.3']);
});

test('a word with races keeps a bounded number of its accesses', () => {
  let sightings = 0;
  const engine = new HappensBefore({ onSeen: () => sightings++ });
  engine.addSites(sites);
  engine.given(0, 8);
  const group = engine.open(engine.addAgent({ kind: 'cta', rank: 0 }), 1000, new Clock(0), 0, sites.length);
  for (let thread = 0; thread < 1000; thread++) {
    engine.accesses.read(group, thread, engine.shadow, 0, 4, 1);
    engine.store(group, thread, engine.shadow, 0, 6);
  }
  // Without forgetting, there would be half a million.
  expect(sightings).toBeLessThan(2 * 1000 * engine.accesses.retained);
});

test('a pair of source locations is explained once, and not reported once the listener needs no more', () => {
  let heard = 0;
  const explained: number[] = [];
  const engine = new HappensBefore({
    onSeen: (seen) => {
      heard++;
      if (seen.kind === 'race') explained.push(seen.missing.length);
    },
    reportLevel: (kind, now, before) => {
      expect([kind, now, before]).toEqual(['race', 1, 3]);
      return heard === 0 ? 'nothing' : heard < 3 ? 'some' : 'enough';
    },
  });
  engine.addSites(sites);
  engine.given(0, 4096);
  const writer = engine.open(engine.addAgent({ kind: 'cta', rank: 0 }), 1, new Clock(0), 0, sites.length);
  const reader = engine.open(engine.addAgent({ kind: 'cta', rank: 1 }), 1, new Clock(0), 0, sites.length);
  for (let word = 0; word < 10; word++) engine.accesses.write(writer, 0, engine.shadow, 4 * word, 4, 3);
  for (let word = 0; word < 10; word++) engine.accesses.read(reader, 0, engine.shadow, 4 * word, 4, 1);
  expect(explained).toEqual([1, 0, 0]);
});
