import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';

import { WatchedWorld } from './watched-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** All settings of the switches, each as the names of those that are on. */
function settings<N extends string>(...names: readonly N[]): readonly ReadonlySet<N>[] {
  return Array.from({ length: 2 ** names.length }, (_, bits) => new Set(names.filter((_name, i) => (bits >>> i) & 1)));
}

const x = 64;
const y = 96;
const f = 128;
const g = 160;

describe('the verdict is a formula over the parts of the synchronization, and each part can be removed', () => {
  test('a message between CTAs with several threads, of which one sets the flag and one polls it', () => {
    const names = ['meetBefore', 'release', 'wideRelease', 'acquire', 'wideAcquire', 'meetAfter', 'seen'] as const;
    for (const on of settings(...names)) {
      const world = new WatchedWorld();
      const [sender, receiver] = [world.cta(0, 4), world.cta(1, 4)];
      for (const t of [0, 1, 2, 3]) sender.thread(t).write(x + 4 * t);
      if (on.has('meetBefore')) sender.clocks.meetAll();
      const scopeOf = (wide: boolean): MemoryScope => (wide ? 'system' : 'device');
      sender.thread(0).store(f, on.has('release') ? 'release' : 'relaxed', scopeOf(on.has('wideRelease')));
      receiver
        .thread(0)
        .load(on.has('seen') ? f : g, on.has('acquire') ? 'acquire' : 'relaxed', scopeOf(on.has('wideAcquire')));
      if (on.has('meetAfter')) receiver.clocks.meetAll();
      for (const t of [0, 1, 2, 3]) receiver.thread(t).read(x + 4 * t);
      const isRace = (from: number, to: number): boolean => world.told.includes(`race 1.${from} 2.${to}`);

      const flags =
        on.has('release') && on.has('wideRelease') && on.has('acquire') && on.has('wideAcquire') && on.has('seen');
      // The first thread of each CTA needs neither barrier, and the others need both.
      const all = flags && on.has('meetBefore') && on.has('meetAfter');
      expect({ on, race: isRace(0, 0) }).toEqual({ on, race: !flags });
      for (const t of [1, 2, 3]) expect({ on, race: isRace(t, t) }).toEqual({ on, race: !all });
      // A flag with too narrow scopes also races, in the same pair of threads as the first data.
      expect(world.told.length).toBe((flags ? 0 : 1) + (all ? 0 : 3));
    }
  });

  test.for(slow)('rounds of an entry barrier, puts to the peer and an exit barrier', () => {
    const names = ['entryRelease', 'entryAcquire', 'exitRelease', 'exitAcquire', 'before', 'between', 'after'] as const;
    for (const on of settings(...names)) {
      const world = new WatchedWorld();
      const ranks = [world.cta(0, 2), world.cta(1, 2)] as const;
      const barrier = (releases: boolean, acquires: boolean): void => {
        ranks.forEach((cta, rank) => cta.thread(0).update(rank === 0 ? g : f, releases ? 'release' : 'relaxed'));
        ranks.forEach((cta, rank) => cta.thread(0).load(rank === 0 ? f : g, acquires ? 'acquire' : 'relaxed'));
      };
      const meet = (on: boolean): void => {
        if (on) for (const cta of ranks) cta.clocks.meetAll();
      };
      // Thread 1 of each CTA uses its own buffer. Thread 1 of the other puts to it, and thread 1
      // then reads it.
      ranks.forEach((cta, rank) => cta.thread(1).read(rank === 0 ? x : y));
      meet(on.has('before'));
      barrier(on.has('entryRelease'), on.has('entryAcquire'));
      meet(on.has('between'));
      ranks.forEach((cta, rank) => cta.thread(1).write(rank === 0 ? y : x));
      const entry = world.take();
      meet(on.has('after'));
      barrier(on.has('exitRelease'), on.has('exitAcquire'));
      meet(on.has('after'));
      ranks.forEach((cta, rank) => cta.thread(1).read(rank === 0 ? x : y));
      const exit = world.take();

      const both = ['race 1.1 2.1', 'race 2.1 1.1'];
      const entered = on.has('before') && on.has('entryRelease') && on.has('entryAcquire') && on.has('between');
      const left = on.has('after') && on.has('exitRelease') && on.has('exitAcquire');
      expect({ on, entry: [...entry].sort() }).toEqual({ on, entry: entered ? [] : both });
      expect({ on, exit: [...exit].sort() }).toEqual({ on, exit: left ? [] : both });
    }
  });

  test.for(slow)('fences around relaxed flags, with two orders and two scopes', () => {
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

  test('a counter at which three threads arrive, and whose last thread reads all data', () => {
    for (const on of settings('first', 'second', 'third', 'acquire', 'broken')) {
      const world = new WatchedWorld();
      const arriving = [world.alone(0), world.alone(1), world.alone(2)];
      const releases = [on.has('first'), on.has('second'), on.has('third')];
      const last = world.alone(3);
      arriving.forEach((thread, i) => {
        thread.write(x + 4 * i);
        // A store instead of an addition ends the chain of the earlier additions.
        if (on.has('broken') && i === 1) thread.store(f, releases[i] === true ? 'release' : 'relaxed');
        else thread.update(f, releases[i] === true ? 'release' : 'relaxed');
      });
      last.load(f, on.has('acquire') ? 'acquire' : 'relaxed');
      arriving.forEach((_, i) => last.read(x + 4 * i));
      const ordered = releases.map((is, i) => is && on.has('acquire') && !(on.has('broken') && i === 0));
      const expected = ordered.flatMap((is, i) => (is ? [] : [`race ${i + 1}.0 4.0`]));
      expect({ on, told: world.take() }).toEqual({ on, told: expected });
    }
  });
});
