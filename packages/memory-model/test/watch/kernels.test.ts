import { describe, expect, test } from 'vitest';

import { Clock } from '../../src/index.ts';
import { WatchedWorld } from './watched-world.ts';

const x = 64;
const f = 128;

describe('a kernel', () => {
  test('is ordered after everything before its launch', () => {
    const world = new WatchedWorld();
    const first = world.cta(0, 4);
    for (const t of [0, 1, 2, 3]) first.thread(t).write(x + 4 * t);
    const end = new Clock(0);
    first.end(end);
    const second = world.cta(0, 4, end.clone());
    for (const t of [0, 1, 2, 3]) second.thread(t).write(x + 4 * (3 - t));
    expect(world.take()).toEqual([]);
    world.cta(0, 1).thread(0).read(x);
    expect(world.take()).toEqual(['race 2.3 3.0']);
  });

  test('of the same CTA of a stream continues its stamps', () => {
    const world = new WatchedWorld();
    const first = world.cta(0, 1);
    first.thread(0).write(x);
    const end = new Clock(0);
    first.end(end);
    const again = world.again(first.agent, 1, end.clone());
    again.thread(0).write(x + 4);
    const other = world.cta(0, 1, end.clone());
    other.thread(0).read(x);
    expect(world.take()).toEqual([]);
    other.thread(0).read(x + 4);
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('passes on at its end all that its threads have acquired, or have read and could acquire', () => {
    const world = new WatchedWorld();
    const writer = world.alone(1);
    writer.write(x);
    writer.store(f, 'release');
    writer.write(x + 4);
    const reader = world.cta(0, 2);
    reader.thread(1).load(f, 'relaxed');
    const end = new Clock(0);
    reader.end(end);
    const next = world.cta(0, 1, end).thread(0);
    next.read(x);
    expect(world.take()).toEqual([]);
    next.read(x + 4);
    expect(world.take()).toEqual(['race 1.0 3.0']);
  });

  test('begins with a fence, so its strong writes publish earlier writes', () => {
    const world = new WatchedWorld();
    const before = world.alone(0);
    before.write(x);
    const end = new Clock(0);
    before.clocks.end(end);
    const kernel = world.cta(0, 2, end);
    const other = world.alone(1);
    kernel.thread(1).store(f, 'relaxed');
    kernel.thread(1).write(x + 4);
    other.load(f, 'relaxed');
    other.read(x);
    expect(world.take()).toEqual(['race 1.0 3.0']);
    other.load(f, 'acquire');
    other.read(x);
    expect(world.take()).toEqual([]);
    other.read(x + 4);
    expect(world.take()).toEqual(['race 2.1 3.0']);
  });

  test('still publishes them after a fence of its own', () => {
    const world = new WatchedWorld();
    const before = world.alone(0);
    before.write(x);
    const end = new Clock(0);
    before.clocks.end(end);
    const kernel = world.cta(0, 1, end).thread(0);
    kernel.fence('release', 'block');
    kernel.store(f, 'relaxed');
    const other = world.alone(1);
    other.load(f, 'acquire');
    other.read(x);
    expect(world.take()).toEqual([]);
  });

  test('is not ordered with other CTAs of its launch', () => {
    const world = new WatchedWorld();
    const begin = new Clock(0);
    const [first, second] = [world.cta(0, 1, begin), world.cta(0, 1, begin)];
    first.thread(0).write(x);
    second.thread(0).read(x);
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });
});
