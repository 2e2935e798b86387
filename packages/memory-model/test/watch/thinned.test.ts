import { expect, test } from 'vitest';
import { agentOf, Clock, HappensBefore, threadOf } from '../../src/index.ts';
import { run, sites, type Step } from './support/thinned.ts';

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
