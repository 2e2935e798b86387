import { describe, expect, test } from 'vitest';

import { Clock, type Agent } from '../../src/index.ts';
import { WatchedWorld, type WatchedGroup, type WatchedThread } from './watched-world.ts';

const source = 64;
const target = 512;
const word = 1024;
const counter = 1032;
const wide = { bytes: 8 } as const;

/**
 * A queue of requests, as two agents: one reads sources, and one writes to targets. Each request
 * has its own stamp.
 */
class Queue {
  readonly #world: WatchedWorld;
  readonly #reads: Agent;
  readonly #writes: Agent;

  constructor(world: WatchedWorld) {
    this.#world = world;
    this.#reads = world.engine.addAgent({ kind: 'network', rank: 0 });
    this.#writes = world.engine.addAgent({ kind: 'network', rank: 0 });
  }

  reads(number: number, begin: Clock, address: number): void {
    this.#group(this.#reads, number, begin).thread(0).read(address);
  }

  writes(number: number, begin: Clock, address: number): void {
    this.#group(this.#writes, number, begin).thread(0).write(address);
  }

  /**
   * The signal of a request. It passes on the releases of its thread. A thread that settles it also
   * gets the covered data.
   */
  signals(number: number, begin: Clock, strong: boolean): void {
    const settled = new Clock(0);
    for (const { index } of [this.#reads, this.#writes]) {
      if (strong) settled.raise(index, number + 1);
      else settled.raiseOne(index, number);
    }
    const { clocks } = this.#group(this.#writes, number, begin);
    this.#world.engine.signal(clocks, word, this.#place, { acquired: begin.clone(), settled });
  }

  /** Records that the request's source may be reused. */
  completes(number: number, begin: Clock): void {
    const consumed = new Clock(0);
    consumed.raiseOne(this.#reads.index, number);
    const { clocks } = this.#group(this.#reads, number, begin);
    this.#world.engine.signal(clocks, counter, this.#place, { acquired: consumed.clone(), consumed });
  }

  get #place(): number {
    return this.#world.site({ kind: 'atomic', bytes: 8, access: { order: 'relaxed', scope: 'system' } });
  }

  #group(agent: Agent, number: number, begin: Clock): WatchedGroup {
    return this.#world.again({ ...agent, stamp: number }, 1, begin);
  }
}

/** Rank 0 posts, and rank 1 receives. */
function setting(): { world: WatchedWorld; queue: Queue; poster: WatchedThread; receiver: WatchedThread } {
  const world = new WatchedWorld();
  return { world, queue: new Queue(world), poster: world.alone(0), receiver: world.alone(1) };
}

/** The events of a posting thread that the network sees. */
function releasedBy({ clocks, number }: WatchedThread): Clock {
  return clocks.released(number, 3);
}

/** Reads the signal, and settles its requests with the network. */
function waits(world: WatchedWorld, thread: WatchedThread): void {
  thread.load(word, 'acquire', 'system', wide);
  world.engine.settle(thread.clocks, thread.number, word);
}

describe('a read by the network', () => {
  test('is ordered after writes that were released before the request', () => {
    for (const releases of ['none', 'block', 'device', 'system'] as const) {
      const { world, queue, poster } = setting();
      poster.write(source);
      if (releases !== 'none') poster.fence('release', releases);
      queue.reads(2, releasedBy(poster), source);
      const told = releases === 'device' || releases === 'system' ? [] : ['race 3.0 1.0'];
      expect(world.take()).toEqual(told);
    }
  });

  test('is pending until a read observes that it is complete', () => {
    for (const completion of ['unseen', 'relaxed', 'acquire'] as const) {
      const { world, queue, poster } = setting();
      const begin = releasedBy(poster);
      queue.reads(2, begin, source);
      queue.completes(2, begin);
      if (completion !== 'unseen') poster.load(counter, completion, 'system', wide);
      poster.write(source);
      expect(world.take()).toEqual(completion === 'unseen' ? ['race 1.0 3.0'] : []);
    }
  });

  test('is complete once a read observes the completion of that request, not of another', () => {
    const { world, queue, poster } = setting();
    const begin = releasedBy(poster);
    queue.reads(2, begin, source);
    queue.reads(3, begin, source + 4);
    queue.completes(3, begin);
    poster.load(counter, 'relaxed', 'system', wide);
    poster.write(source + 4);
    expect(world.take()).toEqual([]);
    poster.write(source);
    expect(world.take()).toEqual(['race 1.0 3.0']);
    queue.completes(2, begin);
    poster.load(counter, 'relaxed', 'system', wide);
    poster.write(source);
    expect(world.take()).toEqual([]);
  });
});

describe('a write by the network', () => {
  test('is visible to a thread that has observed its signal and settled the request', () => {
    for (const way of ['none', 'load', 'wait', 'fence'] as const) {
      const { world, queue, poster, receiver } = setting();
      const begin = releasedBy(poster);
      queue.writes(2, begin, target);
      queue.signals(2, begin, true);
      if (way === 'load') receiver.load(word, 'acquire', 'system', wide);
      if (way === 'wait') waits(world, receiver);
      if (way === 'fence') {
        receiver.load(word, 'relaxed', 'system', wide);
        receiver.fence('acquire');
      }
      receiver.read(target);
      expect(world.take()).toEqual(way === 'wait' || way === 'fence' ? [] : ['race 2.0 4.0']);
    }
  });

  test('is covered by a strong signal of a later request, and not by a weak one', () => {
    for (const strong of [true, false]) {
      const { world, queue, poster, receiver } = setting();
      const begin = releasedBy(poster);
      queue.writes(2, begin, target);
      queue.writes(3, begin, target + 4);
      queue.signals(3, begin, strong);
      waits(world, receiver);
      receiver.read(target + 4);
      expect(world.take()).toEqual([]);
      receiver.read(target);
      expect(world.take()).toEqual(strong ? [] : ['race 2.0 4.0']);
    }
  });

  test('is not covered by a signal whose request came before it', () => {
    for (const strong of [true, false]) {
      const { world, queue, poster, receiver } = setting();
      const begin = releasedBy(poster);
      queue.writes(3, begin, target);
      queue.signals(2, begin, strong);
      waits(world, receiver);
      receiver.read(target);
      expect(world.take()).toEqual(['race 2.0 4.0']);
    }
  });

  test('stays covered by a signal to which others have added', () => {
    const { world, queue, poster, receiver } = setting();
    const begin = releasedBy(poster);
    queue.writes(2, begin, target);
    queue.signals(2, begin, false);
    queue.writes(3, begin, target + 4);
    queue.signals(3, begin, false);
    waits(world, receiver);
    receiver.read(target);
    receiver.read(target + 4);
    expect(world.take()).toEqual([]);
  });

  test("races with another request's write to the same location, because requests are unordered", () => {
    const { world, queue, poster } = setting();
    const begin = releasedBy(poster);
    queue.writes(2, begin, target);
    queue.writes(3, begin, target);
    expect(world.take()).toEqual(['race 2.0 2.0']);
  });
});

describe('a signal', () => {
  test('passes on what its thread released before the request to a thread that acquires it', () => {
    for (const released of [true, false]) {
      for (const order of ['acquire', 'relaxed'] as const) {
        const { world, queue, poster, receiver } = setting();
        poster.write(source);
        if (released) poster.fence('release');
        queue.signals(2, releasedBy(poster), true);
        receiver.load(word, order, 'system', wide);
        receiver.read(source);
        expect(world.take()).toEqual(released && order === 'acquire' ? [] : ['race 3.0 4.0']);
      }
    }
  });
});
