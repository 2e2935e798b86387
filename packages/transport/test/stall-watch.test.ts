import type { MacrotaskQueue } from '@nccl-ts/core';
import { StallWatch, type HostState } from '@nccl-ts/transport';
import { describe, expect, it } from 'vitest';

/** A watched world. The test decides when its tasks run. */
class Watched {
  still = true;
  stuck = false;
  stalls = 0;
  readonly watch: StallWatch;
  #task: (() => void) | undefined;

  constructor(...hosts: readonly HostState[]) {
    const macrotasks: Pick<MacrotaskQueue, 'post'> = {
      post: (callback) => {
        if (this.#task !== undefined) throw new Error('a task is outstanding');
        this.#task = callback;
      },
    };
    this.watch = new StallWatch({
      ranks: hosts.length,
      macrotasks,
      still: () => this.still,
      stuck: () => this.stuck,
      onStall: () => {
        this.stalls++;
      },
    });
    hosts.forEach((state, rank) => this.watch.setHost(rank, state));
  }

  /** Runs the outstanding task; returns true if there was one. */
  step(): boolean {
    const task = this.#task;
    this.#task = undefined;
    task?.();
    return task !== undefined;
  }

  settle(): void {
    for (let i = 0; i < 100; i++) if (!this.step()) return;
    throw new Error('it looks for ever');
  }
}

describe('StallWatch', () => {
  it('checks again in a later task before it calls back, and calls back once', () => {
    const world = new Watched('waiting', 'done');
    expect(world.watch.hosts).toEqual(['waiting', 'done']);
    expect(world.step()).toBe(true);
    expect(world.stalls).toBe(0);
    expect(world.step()).toBe(true);
    expect(world.stalls).toBe(1);
    expect(world.step()).toBe(false);
  });

  it('does not call back while a host program runs', () => {
    const world = new Watched('waiting', 'running');
    expect(world.step()).toBe(false);
    world.watch.setHost(1, 'waiting');
    world.settle();
    expect(world.stalls).toBe(1);
  });

  it('does not call back when all host programs have ended, unless kernels are stuck', () => {
    const world = new Watched('done', 'done');
    world.settle();
    expect(world.stalls).toBe(0);
    world.stuck = true;
    world.watch.changed();
    world.settle();
    expect(world.stalls).toBe(1);
  });

  it('does not call back while kernels can continue', () => {
    const world = new Watched('waiting');
    world.still = false;
    world.settle();
    expect(world.stalls).toBe(0);
    world.still = true;
    world.watch.changed();
    world.settle();
    expect(world.stalls).toBe(1);
  });

  it('starts again if something happens between two checks', () => {
    const world = new Watched('waiting');
    world.step();
    world.watch.setHost(0, 'running');
    world.watch.setHost(0, 'waiting');
    world.step();
    expect(world.stalls).toBe(0);
    world.step();
    expect(world.stalls).toBe(1);
  });

  it('calls back again after something has happened', () => {
    const world = new Watched('waiting');
    world.settle();
    world.watch.changed();
    world.settle();
    expect(world.stalls).toBe(2);
  });

  it('ignores unknown ranks, and unchanged states', () => {
    const world = new Watched('waiting');
    world.settle();
    world.watch.setHost(0, 'waiting');
    world.watch.setHost(7, 'waiting');
    expect(world.step()).toBe(false);
  });
});
