import { describe, expect, test } from 'vitest';

import { WatchedWorld } from './watched-world.ts';

const x = 0;
const f = 64;

describe('threads of a CTA', () => {
  test('race if they did not synchronize', () => {
    const world = new WatchedWorld();
    const { clocks, thread } = parts(world, 2);
    thread(0).write(x);
    thread(1).read(x);
    expect(world.take()).toEqual(['race 1.0 1.1']);
    clocks.meetAll();
    thread(1).read(x);
    thread(0).write(x);
    expect(world.take()).toEqual(['race 1.1 1.0']);
    clocks.meetAll();
    thread(1).write(x);
    expect(world.take()).toEqual([]);
  });

  test("that synchronize are ordered after each other's earlier accesses, but not after later ones", () => {
    const world = new WatchedWorld();
    const { clocks, thread } = parts(world, 4);
    for (const t of [0, 1, 2, 3]) thread(t).write(x + 4 * t);
    clocks.meetAll();
    for (const t of [0, 1, 2, 3]) thread(3 - t).write(x + 4 * t);
    expect(world.take()).toEqual([]);
    thread(0).read(x);
    expect(world.take()).toEqual(['race 1.3 1.0']);
  });

  test('that synchronize in tiles are ordered only after threads of their own tile', () => {
    const world = new WatchedWorld();
    const { clocks, thread } = parts(world, 4);
    for (const t of [0, 1, 2, 3]) thread(t).write(x + 4 * t);
    clocks.meet([0, 1]);
    clocks.meet([2, 3]);
    thread(0).read(x + 4);
    thread(3).write(x + 8);
    expect(world.take()).toEqual([]);
    thread(1).read(x + 8);
    expect(world.take()).toEqual(['race 1.3 1.1']);
    thread(2).read(x);
    expect(world.take()).toEqual(['race 1.0 1.2']);
  });

  test('are ordered through overlapping tiles that synchronize one after the other', () => {
    const world = new WatchedWorld();
    const { clocks, thread } = parts(world, 4);
    thread(0).write(x);
    thread(3).write(x + 4);
    clocks.meet([0, 1]);
    clocks.meet([1, 2]);
    thread(2).read(x);
    expect(world.take()).toEqual([]);
    thread(0).read(x + 4);
    thread(1).read(x + 4);
    thread(2).read(x + 4);
    expect(world.take()).toEqual(['race 1.3 1.0', 'race 1.3 1.1', 'race 1.3 1.2']);
  });

  test('do not share what one thread of a tile acquires after the synchronization', () => {
    const world = new WatchedWorld();
    const writer = world.alone(1);
    writer.write(x);
    const { clocks, thread } = parts(world, 4);
    clocks.meet([0, 1]);
    writer.store(f, 'release');
    thread(0).load(f, 'acquire');
    thread(0).read(x);
    expect(world.take()).toEqual([]);
    thread(1).read(x);
    expect(world.take()).toEqual(['race 1.0 2.1']);
    clocks.meet([0, 1]);
    thread(1).read(x);
    expect(world.take()).toEqual([]);
    thread(2).read(x);
    expect(world.take()).toEqual(['race 1.0 2.2']);
    clocks.meetAll();
    for (const t of [0, 1, 2, 3]) thread(t).read(x);
    expect(world.take()).toEqual([]);
  });

  test('pass on what other threads of their tile acquired through their own releases', () => {
    const world = new WatchedWorld();
    const { clocks, thread } = parts(world, 3);
    const other = world.alone(1);
    thread(0).write(x);
    thread(2).write(x + 4);
    clocks.meet([0, 1]);
    thread(1).store(f, 'release');
    other.load(f, 'acquire');
    other.read(x);
    expect(world.take()).toEqual([]);
    other.read(x + 4);
    expect(world.take()).toEqual(['race 1.2 2.0']);
  });

  test('do not synchronize at barriers of other CTAs', () => {
    const world = new WatchedWorld();
    const first = parts(world, 2);
    const second = parts(world, 2);
    first.thread(0).write(x);
    first.clocks.meetAll();
    second.clocks.meetAll();
    second.thread(1).read(x);
    expect(world.take()).toEqual(['race 1.0 2.1']);
  });

  test('stay ordered through thousands of synchronizations', () => {
    const world = new WatchedWorld();
    const { clocks, thread } = parts(world, 8);
    for (let round = 0; round < 3000; round++) {
      thread(round % 8).write(x);
      clocks.meetAll();
    }
    expect(world.take()).toEqual([]);
    // There are few epochs, because all writes of a thread at one stamp share one.
    expect(world.engine.epochs.count).toBeLessThan(3010);
  });
});

function parts(world: WatchedWorld, threads: number) {
  const group = world.cta(0, threads);
  return { clocks: group.clocks, thread: (number: number) => group.thread(number) };
}
