import { describe, expect, test } from 'vitest';

import { Clock } from '../../src/index.ts';
import { WatchedWorld } from './watched-world.ts';

const x = 64;
const f = 128;
const multicast = { multicast: true } as const;

describe('bytes that are accessed both through a multicast address and through their own', () => {
  test.each([
    ['multicast, then its own', multicast, {}],
    ['its own, then multicast', {}, multicast],
  ] as const)('need a proxy fence between the accesses: %s', (_, first, second) => {
    for (const fenced of [false, true]) {
      for (const kinds of [
        ['write', 'read'],
        ['write', 'write'],
        ['read', 'write'],
      ] as const) {
        const world = new WatchedWorld();
        const one = world.alone(0);
        one[kinds[0]](x, first);
        if (fenced) one.fenceProxy();
        one[kinds[1]](x, second);
        expect(world.take()).toEqual(fenced ? [] : ['proxy 1.0 1.0']);
      }
    }
  });

  test('need no fence if both accesses only read', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    one.read(x, multicast);
    one.read(x);
    expect(world.take()).toEqual([]);
  });

  test('need no fence if both accesses use the same kind of address', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    one.write(x, multicast);
    one.read(x, multicast);
    one.write(x + 4);
    one.read(x + 4);
    expect(world.take()).toEqual([]);
  });

  test('need no fence between different bytes', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    one.write(x, { bytes: 2, multicast: true });
    one.read(x + 2, { bytes: 2 });
    expect(world.take()).toEqual([]);
  });

  test('are ordered after their initial values', () => {
    const world = new WatchedWorld();
    world.alone(0).read(x, multicast);
    expect(world.take()).toEqual([]);
  });

  test('race if nothing orders them, with or without a fence', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    one.write(x, multicast);
    one.fenceProxy();
    world.alone(1).read(x);
    expect(world.take()).toEqual(['race 1.0 2.0']);
  });

  test('need the fence between the two accesses, in either thread', () => {
    const fences = ['none', 'before', 'after', 'too early', 'too late'] as const;
    const told = fences.map((where) => {
      const world = new WatchedWorld();
      const [writer, reader] = [world.alone(0), world.alone(1)];
      if (where === 'too early') writer.fenceProxy();
      writer.write(x, multicast);
      if (where === 'before') writer.fenceProxy();
      writer.store(f, 'release');
      reader.load(f, 'acquire');
      if (where === 'after') reader.fenceProxy();
      reader.read(x);
      if (where === 'too late') reader.fenceProxy();
      return world.take().length;
    });
    expect(told).toEqual([1, 0, 0, 1, 1]);
  });

  test('still race if the fence comes before the synchronization', () => {
    const world = new WatchedWorld();
    const [writer, reader] = [world.alone(0), world.alone(1)];
    writer.write(x, multicast);
    writer.store(f, 'release');
    reader.fenceProxy();
    reader.load(f, 'acquire');
    reader.read(x);
    expect(world.take()).toEqual(['proxy 1.0 2.0']);
  });

  test('are safe without a fence if a kernel begins in between', () => {
    const world = new WatchedWorld();
    const first = world.cta(0, 1);
    first.thread(0).write(x, multicast);
    const end = new Clock(0);
    first.end(end);
    const second = world.cta(0, 1, end);
    second.clocks.bridged = end;
    second.thread(0).read(x);
    expect(world.take()).toEqual([]);
    second.thread(0).write(x);
    second.thread(0).read(x, multicast);
    expect(world.take()).toEqual(['proxy 2.0 2.0']);
  });
});
