import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { describe, expect, test } from 'vitest';

import { WatchedWorld } from './watched-world.ts';

type Switches<N extends string> = Readonly<Record<N, boolean>>;

/** All ways to set the switches. */
function* settings<N extends string>(...names: readonly N[]): Generator<Switches<N>> {
  for (let bits = 0; bits < 2 ** names.length; bits++) {
    yield Object.fromEntries(names.map((name, i) => [name, ((bits >>> i) & 1) === 1])) as Switches<N>;
  }
}

const x = 64;
const y = 96;
const f = 128;
const g = 160;

describe('every synchronisation is a switch, and the verdict is a formula over them', () => {
  test('a message between CTAs of several threads: all write, one raises the flag, one sees it, all read', () => {
    const names = ['meetBefore', 'release', 'wideRelease', 'acquire', 'wideAcquire', 'meetAfter', 'seen'] as const;
    for (const s of settings(...names)) {
      const world = new WatchedWorld();
      const [sender, receiver] = [world.cta(0, 4), world.cta(1, 4)];
      for (const t of [0, 1, 2, 3]) sender.thread(t).write(x + 4 * t);
      if (s.meetBefore) sender.clocks.meetAll();
      const scopeOf = (wide: boolean): MemoryScope => (wide ? 'system' : 'device');
      sender.thread(0).store(f, s.release ? 'release' : 'relaxed', scopeOf(s.wideRelease));
      receiver.thread(0).load(s.seen ? f : g, s.acquire ? 'acquire' : 'relaxed', scopeOf(s.wideAcquire));
      if (s.meetAfter) receiver.clocks.meetAll();
      for (const t of [0, 1, 2, 3]) receiver.thread(t).read(x + 4 * t);
      const isRace = (from: number, to: number): boolean => world.told.includes(`race 1.${from} 2.${to}`);

      const flags = s.release && s.wideRelease && s.acquire && s.wideAcquire && s.seen;
      expect({ s, race: isRace(0, 0) }).toEqual({ s, race: !flags && !(s.seen && !s.wideRelease) ? true : !flags });
      // The first thread of both CTAs needs neither meeting, the others one each.
      for (const t of [1, 2, 3])
        expect({ s, race: isRace(t, t) }).toEqual({ s, race: !(flags && s.meetBefore && s.meetAfter) });
      const strong = !s.seen || (s.wideRelease && s.wideAcquire);
      const races = world.told.filter((told) => told.startsWith('race'));
      const data = (flags ? 0 : 1) + (flags && s.meetBefore && s.meetAfter ? 0 : 3);
      // A flag that is not strong for both is told of as the same pair of threads as the first data.
      expect(races.length).toBe(Math.max(data, strong ? 0 : data));
      if (!strong) expect(isRace(0, 0)).toBe(true);
    }
  });

  test('an entry barrier, then puts into the peer, then an exit barrier, round after round', () => {
    const names = ['entryRelease', 'entryAcquire', 'exitRelease', 'exitAcquire', 'before', 'between', 'after'] as const;
    for (const s of settings(...names)) {
      const world = new WatchedWorld();
      const ranks = [world.cta(0, 2), world.cta(1, 2)] as const;
      const barrier = (releases: boolean, acquires: boolean): void => {
        ranks.forEach((cta, rank) => cta.thread(0).update(rank === 0 ? g : f, releases ? 'release' : 'relaxed'));
        ranks.forEach((cta, rank) => cta.thread(0).load(rank === 0 ? f : g, acquires ? 'acquire' : 'relaxed'));
      };
      const meet = (on: boolean): void => {
        if (on) for (const cta of ranks) cta.clocks.meetAll();
      };
      // Thread 1 of each has used its own buffer; thread 1 of the other puts there; thread 1 reads what was put.
      ranks.forEach((cta, rank) => cta.thread(1).read(rank === 0 ? x : y));
      meet(s.before);
      barrier(s.entryRelease, s.entryAcquire);
      meet(s.between);
      ranks.forEach((cta, rank) => cta.thread(1).write(rank === 0 ? y : x));
      const entry = world.take();
      meet(s.after);
      barrier(s.exitRelease, s.exitAcquire);
      meet(s.after);
      ranks.forEach((cta, rank) => cta.thread(1).read(rank === 0 ? x : y));
      const exit = world.take();

      const both = ['race 1.1 2.1', 'race 2.1 1.1'];
      const entered = s.before && s.entryRelease && s.entryAcquire && s.between;
      const left = s.after && s.exitRelease && s.exitAcquire;
      expect({ s, entry: [...entry].sort() }).toEqual({ s, entry: entered ? [] : both });
      expect({ s, exit: [...exit].sort() }).toEqual({ s, exit: left ? [] : both });
    }
  });

  test('fences around relaxed flags, of two orders and two scopes each', () => {
    const orders: readonly (MemoryOrder | 'none')[] = ['none', 'acquire', 'release', 'acq_rel', 'seq_cst'];
    const scopes: readonly MemoryScope[] = ['block', 'device', 'system'];
    for (const first of orders) {
      for (const second of orders) {
        for (const firstScope of scopes) {
          for (const secondScope of scopes) {
            for (const [rank, needed] of [
              [0, 1],
              [1, 2],
            ] as const) {
              const world = new WatchedWorld();
              const [writer, reader] = [world.alone(0), world.alone(rank)];
              writer.write(x);
              if (first !== 'none') writer.fence(first, firstScope);
              writer.store(f, 'relaxed');
              reader.load(f, 'relaxed');
              if (second !== 'none') reader.fence(second, secondScope);
              reader.read(x);
              const releases = first === 'release' || first === 'acq_rel' || first === 'seq_cst';
              const acquires = second === 'acquire' || second === 'acq_rel' || second === 'seq_cst';
              const reach = Math.min(scopes.indexOf(firstScope), scopes.indexOf(secondScope)) >= needed;
              const ordered = releases && acquires && reach;
              const where = { first, second, firstScope, secondScope, rank };
              expect({ where, told: world.take() }).toEqual({ where, told: ordered ? [] : ['race 1.0 2.0'] });
            }
          }
        }
      }
    }
  });

  test('a counter: each of three arrives with or without release, the last one sees all with or without acquire', () => {
    for (const s of settings('first', 'second', 'third', 'acquire', 'broken')) {
      const world = new WatchedWorld();
      const arriving = [world.alone(0), world.alone(1), world.alone(2)];
      const releases = [s.first, s.second, s.third];
      const last = world.alone(3);
      arriving.forEach((thread, i) => {
        thread.write(x + 4 * i);
        // A store instead of an addition breaks the chain of what was there before.
        if (s.broken && i === 1) thread.store(f, releases[i] === true ? 'release' : 'relaxed');
        else thread.update(f, releases[i] === true ? 'release' : 'relaxed');
      });
      last.load(f, s.acquire ? 'acquire' : 'relaxed');
      arriving.forEach((_, i) => last.read(x + 4 * i));
      const ordered = releases.map((is, i) => is && s.acquire && !(s.broken && i === 0));
      const expected = ordered.flatMap((is, i) => (is ? [] : [`race ${i + 1}.0 4.0`]));
      expect({ s, told: world.take() }).toEqual({ s, told: expected });
    }
  });
});
