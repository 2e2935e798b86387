import { describe, expect, test } from 'vitest';

import { Clock, Shadow } from '../../src/index.ts';
import { fabricRows, type Way } from '../fabric-rows.ts';
import { WatchedWorld, type WatchedThread } from './watched-world.ts';

const x = 64;
const f = 128;

/** Makes an access, and waits for its end if the fabric makes it. */
function access(world: WatchedWorld, by: WatchedThread, way: Way, kind: 'read' | 'write'): void {
  if (way === 'by a thread') by[kind](x);
  else {
    const operation = world.operation(by);
    operation[kind](x);
    by.awaits(operation);
  }
}

describe('bytes that a thread accesses both directly and through a logical endpoint', () => {
  test.each(fabricRows())('$id: $first, then $then', ({ first, then, release, acquire, problem }) => {
    for (const kinds of [
      ['write', 'read'],
      ['write', 'write'],
      ['read', 'write'],
    ] as const) {
      const world = new WatchedWorld();
      const [one, other] = [world.alone(0), world.alone(1)];
      access(world, one, first, kinds[0]);
      if (release !== undefined) one.fenceFabric(...release);
      one.store(f, 'release');
      other.load(f, 'acquire');
      if (acquire !== undefined) other.fenceFabric(...acquire);
      access(world, other, then, kinds[1]);
      expect(world.take().map((told) => told.split(' ')[0])).toEqual(problem ? ['proxy'] : []);
    }
  });

  test('one fence with both orders does not order two accesses of one thread, and two fences do', () => {
    const told = [['acq_rel'], ['release'], ['acquire', 'release'], ['release', 'acquire']] as const;
    const problems = told.map((orders) => {
      const world = new WatchedWorld();
      const one = world.alone(0);
      one.write(x);
      for (const order of orders) one.fenceFabric('generic', 'fabric', order);
      world.operation(one).read(x);
      return world.take().length;
    });
    expect(problems).toEqual([1, 1, 1, 0]);
  });

  test('a fabric fence is also a fence, so a relaxed flag between two of them orders', () => {
    const told = [true, false].map((fenced) => {
      const world = new WatchedWorld();
      const [one, other] = [world.alone(0), world.alone(1)];
      one.write(x);
      if (fenced) one.fenceFabric('generic', 'fabric', 'release');
      one.store(f, 'relaxed');
      other.load(f, 'relaxed');
      other.fenceFabric('generic', 'fabric', 'acquire');
      world.operation(other).read(x);
      return world.take();
    });
    expect(told).toEqual([[], ['race 1.0 3.0']]);
  });

  test('accesses race before the operation has ended, with or without fences', () => {
    const world = new WatchedWorld();
    const one = world.alone(0);
    world.operation(one).write(x);
    one.fenceFabric('fabric', 'generic', 'release');
    one.fenceFabric('fabric', 'generic', 'acquire');
    one.read(x);
    expect(world.take()).toEqual(['race 2.0 1.0']);
  });

  test('the source in shared memory needs a release of block scope, and no other fence suffices', () => {
    const told = (['none', 'block', 'system', 'acquire'] as const).map((which) => {
      const world = new WatchedWorld();
      const shadow = new Shadow();
      const one = world.alone(0);
      one.write(x, { shadow });
      if (which === 'block') one.fenceFabric('generic', 'fabric', 'release', 'block');
      if (which === 'acquire') one.fenceFabric('generic', 'fabric', 'acquire', 'block');
      if (which === 'system') one.fenceFabric('generic', 'fabric', 'release');
      world.operation(one).read(x, { shadow });
      return world.take().length;
    });
    expect(told).toEqual([1, 0, 1, 1]);
  });

  test('the end of a kernel is a fabric fence', () => {
    const world = new WatchedWorld();
    const first = world.cta(0, 1);
    const operation = world.operation(first.thread(0));
    operation.write(x);
    first.thread(0).awaits(operation);
    const end = new Clock(0);
    first.end(end);
    world.cta(0, 1, end).thread(0).read(x);
    expect(world.take()).toEqual([]);
  });
});
