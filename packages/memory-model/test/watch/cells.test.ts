import { describe, expect, test } from 'vitest';

import { Shadow } from '../../src/index.ts';
import { WatchedWorld, type WatchedThread } from './watched-world.ts';

const x = 64;
const f = 128;

function pair(): { world: WatchedWorld; one: WatchedThread; other: WatchedThread } {
  const world = new WatchedWorld();
  const one = world.alone(0);
  return { world, one, other: world.alone(1) };
}

describe('two unordered accesses', () => {
  test('race if one of them writes', () => {
    const kinds = ['read', 'write'] as const;
    for (const first of kinds) {
      for (const second of kinds) {
        const { world, one, other } = pair();
        one[first](x);
        other[second](x);
        expect(world.take()).toEqual(first === 'read' && second === 'read' ? [] : ['race 1.0 2.0']);
      }
    }
  });

  test('race once for each occurrence', () => {
    const { world, one, other } = pair();
    one.write(x);
    other.read(x);
    other.read(x);
    expect(world.seen.map(({ kind, address }) => ({ kind, address }))).toEqual([
      { kind: 'race', address: x },
      { kind: 'race', address: x },
    ]);
  });

  test('do not race if both are strong and their scopes include each other', () => {
    const scopes = ['thread', 'block', 'device', 'system'] as const;
    for (const first of scopes) {
      for (const second of scopes) {
        for (const [rank, needed] of [
          [0, 2],
          [1, 3],
        ] as const) {
          const world = new WatchedWorld();
          world.alone(0).store(x, 'relaxed', first);
          world.alone(rank).load(x, 'relaxed', second);
          const reach = Math.min(scopes.indexOf(first), scopes.indexOf(second)) >= needed;
          expect(world.take()).toEqual(reach ? [] : ['race 1.0 2.0']);
        }
      }
    }
  });

  test('race if one of them is plain', () => {
    const { world, one, other } = pair();
    one.store(x, 'release');
    other.read(x);
    expect(world.take()).toEqual(['race 1.0 2.0']);
    one.load(f, 'acquire');
    other.write(f);
    expect(world.take()).toEqual(['race 1.0 2.0']);
    one.update(f, 'seq_cst');
    expect(world.take()).toEqual(['race 2.0 1.0']);
  });

  test('race if they are strong, but of different sizes', () => {
    const { world, one, other } = pair();
    one.store(x, 'relaxed', 'system', { bytes: 8 });
    other.load(x, 'relaxed', 'system', { bytes: 4 });
    other.load(x + 4, 'relaxed', 'system', { bytes: 4 });
    expect(world.seen).toHaveLength(2);
    expect(world.take()).toEqual(['race 1.0 2.0']);
    // A thread that reads all of the word is ordered after the write.
    other.load(x, 'relaxed', 'system', { bytes: 8 });
    other.load(x + 4, 'relaxed', 'system', { bytes: 4 });
    expect(world.take()).toEqual([]);
  });

  test('order nothing if their sizes differ', () => {
    const { world, one, other } = pair();
    one.write(x);
    one.store(f, 'release', 'system', { bytes: 8 });
    other.load(f, 'acquire', 'system', { bytes: 4 });
    world.take();
    other.read(x);
    expect(world.take()).toEqual(['race 1.0 2.0']);
    other.load(f, 'acquire', 'system', { bytes: 8 });
    other.read(x);
    expect(world.take()).toEqual([]);
  });

  test('do not race in shared memory of two CTAs', () => {
    const { world, one, other } = pair();
    const own = new Shadow();
    one.write(x, { shadow: own });
    other.write(x, { shadow: new Shadow() });
    other.write(x);
    expect(world.take()).toEqual([]);
    other.write(x, { shadow: own });
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('are ordered through flags in shared memory too', () => {
    const world = new WatchedWorld();
    const cta = world.cta(0, 2);
    const shadow = new Shadow();
    cta.thread(0).write(x);
    cta.thread(0).write(f, { shadow });
    cta.thread(0).store(f, 'release', 'block', { shadow });
    cta.thread(1).load(f, 'acquire', 'block');
    cta.thread(1).read(x);
    expect(world.take()).toEqual(['race 1.0 1.1']);
    cta.thread(1).load(f, 'acquire', 'block', { shadow });
    cta.thread(1).read(x);
    expect(world.take()).toEqual([]);
  });
});

describe('bytes of a word', () => {
  test('may be written by different threads without a race', () => {
    const world = new WatchedWorld();
    const cta = world.cta(0, 4);
    for (let t = 0; t < 4; t++) cta.thread(t).write(x + t, { bytes: 1 });
    for (let t = 0; t < 4; t++) cta.thread(t).read(x + t, { bytes: 1 });
    for (let t = 0; t < 4; t++) cta.thread(t).write(x + t, { bytes: 1 });
    expect(world.take()).toEqual([]);
    cta.thread(0).read(x + 3, { bytes: 1 });
    expect(world.take()).toEqual(['race 1.3 1.0']);
    cta.thread(1).write(x, { bytes: 2 });
    expect(world.take()).toEqual(['race 1.0 1.1']);
    cta.thread(2).read(x);
    expect(world.take()).toEqual(['race 1.0 1.2', 'race 1.3 1.2', 'race 1.1 1.2']);
  });

  test.each([
    [0, 1, 1, 1, false],
    [0, 2, 2, 2, false],
    [0, 2, 1, 1, true],
    [0, 4, 3, 1, true],
    [2, 2, 0, 4, true],
    [2, 2, 0, 2, false],
    [0, 4, 4, 4, false],
    [0, 8, 4, 4, true],
    [0, 16, 12, 4, true],
    [0, 16, 16, 4, false],
  ])('at bytes %i and %i, accesses of %i and %i bytes: a race is %s', (first, bytes, second, others, races) => {
    for (const swap of [false, true]) {
      const { world, one, other } = pair();
      if (swap) other.write(x + second, { bytes: others });
      one.write(x + first, { bytes });
      if (!swap) other.write(x + second, { bytes: others });
      expect(world.take()).toEqual(races ? [swap ? 'race 2.0 1.0' : 'race 1.0 2.0'] : []);
    }
  });

  test('stay known after writes to other bytes of the word', () => {
    const world = new WatchedWorld();
    const cta = world.cta(0, 2);
    cta.thread(0).write(x, { bytes: 2 });
    cta.clocks.meetAll();
    cta.thread(1).write(x + 2, { bytes: 2 });
    cta.thread(1).write(x + 2, { bytes: 2 });
    const other = world.alone(1);
    other.read(x, { bytes: 1 });
    expect(world.take()).toEqual(['race 1.0 2.0']);
    other.read(x + 3, { bytes: 1 });
    expect(world.take()).toEqual(['race 1.1 2.0']);
  });
});

describe('many readers', () => {
  test('are all known to a later writer', () => {
    const world = new WatchedWorld();
    const cta = world.cta(0, 32);
    for (let t = 0; t < 32; t++) cta.thread(t).read(x);
    world.alone(1).write(x);
    expect(world.take()).toEqual(Array.from({ length: 32 }, (_, t) => `race 1.${t} 2.0`));
  });

  test('are forgotten after a write that is ordered after them', () => {
    const world = new WatchedWorld();
    const cta = world.cta(0, 32);
    for (let t = 0; t < 32; t++) cta.thread(t).read(x);
    cta.clocks.meetAll();
    cta.thread(0).write(x);
    world.alone(1).write(x);
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('stay known if only some of them are ordered', () => {
    const world = new WatchedWorld();
    const readers = [1, 2, 3].map((rank) => world.alone(rank));
    const writer = world.alone(0);
    readers.forEach((reader, i) => {
      reader.read(x);
      if (i !== 1) reader.store(f + 8 * i, 'release');
    });
    for (const i of [0, 1, 2]) writer.load(f + 8 * i, 'acquire');
    writer.write(x);
    expect(world.take()).toEqual(['race 2.0 4.0']);
  });

  test('are represented by the last one if it is ordered after the others', () => {
    const world = new WatchedWorld();
    const cta = world.cta(0, 4);
    for (let round = 0; round < 1000; round++) {
      cta.thread(round % 4).read(x);
      cta.clocks.meetAll();
    }
    const { shadow } = world.engine;
    const reads = shadow.page(0)[2 * (x / 4) + 1] ?? 0;
    expect(shadow.epochs(reads).length).toBeLessThan(4);
    world.alone(1).write(x);
    expect(world.take()).toEqual(['race 1.3 2.0']);
  });

  test('do not hide one another if they read in different ways', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    one.read(x);
    one.load(x, 'relaxed');
    const other = world.alone(1);
    other.store(x, 'relaxed');
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });
});

describe('successive writes of a word', () => {
  test('still show a plain write below a strong one of the same thread', () => {
    const { world, one, other } = pair();
    one.write(x);
    one.store(x, 'relaxed');
    other.load(x, 'relaxed');
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('still show a strong write of narrow scope below one of wider scope', () => {
    const { world, one, other } = pair();
    one.store(x, 'relaxed', 'device');
    one.store(x, 'relaxed', 'system');
    other.load(x, 'relaxed');
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('drop the writes that are ordered before a plain one', () => {
    const { world, one, other } = pair();
    one.store(x, 'relaxed');
    one.write(x);
    other.load(x, 'relaxed');
    expect(world.seen).toHaveLength(1);
    one.write(f);
    one.store(f + 32, 'release');
    other.load(f + 32, 'acquire');
    world.take();
    other.write(f);
    one.read(f);
    expect(world.take()).toEqual(['race 2.0 1.0']);
  });

  test('have short lists if all of them are strong', () => {
    const world = new WatchedWorld();
    const threads = [0, 1, 2, 3].map((rank) => world.alone(rank));
    for (let round = 0; round < 200; round++) for (const thread of threads) thread.update(x, 'acq_rel');
    const { shadow } = world.engine;
    // The plain initial write stays below.
    expect(shadow.writesAt(x)).toHaveLength(2);
    expect(world.take()).toEqual([]);
  });
});

describe('bytes that were never written', () => {
  test('are reported if a CTA reads them', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    const there = 8192;
    one.read(there);
    expect(world.take()).toEqual(['uninitialised 1.0']);
    one.load(there, 'acquire');
    expect(world.take()).toEqual(['uninitialised 1.0']);
    one.update(there, 'relaxed');
    expect(world.take()).toEqual(['uninitialised 1.0']);
    one.read(there);
    expect(world.take()).toEqual([]);
    one.read(there + 4, { bytes: 16 });
    expect(world.seen.map(({ address }) => address)).toEqual([there + 4, there + 8, there + 12, there + 16]);
  });

  test('are not reported if a host reads them', () => {
    const world = new WatchedWorld();
    const host = world.again(world.engine.addAgent({ kind: 'host', rank: 0 }), 1, world.cta(0, 1).clocks.base.clone());
    host.thread(0).read(8192);
    expect(world.take()).toEqual([]);
  });

  test('count as unwritten again after they are forgotten', () => {
    const { world, one, other } = pair();
    one.write(x);
    one.store(f, 'release');
    world.engine.forget(x, x + 4);
    other.read(x);
    expect(world.take()).toEqual(['uninitialised 2.0']);
    world.engine.given(x, x + 4);
    other.read(x);
    expect(world.take()).toEqual([]);
    world.engine.forget(f, f + 4);
    world.engine.given(f, f + 4);
    one.write(x + 8);
    other.load(f, 'acquire');
    other.read(x + 8);
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('are ordered before every thread if they have initial values', () => {
    const { world, one, other } = pair();
    one.read(x);
    other.read(x);
    expect(world.take()).toEqual([]);
  });
});

describe('ranges', () => {
  test('are read and written from any byte to any other', () => {
    const world = new WatchedWorld();
    const { engine } = world;
    const host = world.again(engine.addAgent({ kind: 'host', rank: 0 }), 1, world.cta(0, 1).clocks.base.clone());
    const other = world.alone(1);
    engine.accesses.writeRange(host.clocks, engine.shadow, x + 3, x + 13, world.site({ kind: 'store', bytes: 4 }));
    const raced = Array.from({ length: 20 }, (_, i) => {
      other.read(x + i, { bytes: 1 });
      return world.take().length > 0;
    });
    expect(raced.map((is, i) => (is ? i : -1)).filter((i) => i >= 0)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });
});
