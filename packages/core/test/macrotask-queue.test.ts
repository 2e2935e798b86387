import { createMacrotaskQueue } from '@nccl-ts/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
});

describe('a macrotask queue', () => {
  it('calls back after the microtasks, but not after it is closed', async () => {
    const queue = createMacrotaskQueue();
    const order: string[] = [];
    const called = new Promise<void>((resolve) => {
      queue.post(() => {
        order.push('task');
        resolve();
      });
    });
    await Promise.resolve().then(() => order.push('microtask'));
    await called;
    expect(order).toEqual(['microtask', 'task']);
    queue.post(() => order.push('closed'));
    queue.close();
    const later = createMacrotaskQueue();
    await new Promise<void>((resolve) => {
      later.post(resolve);
    });
    later.close();
    expect(order).toHaveLength(2);
  });

  it.each([
    ['before the module is loaded', true],
    ['afterwards', false],
  ])('calls back even if a test has replaced the timers %s', async (_when, isBefore) => {
    vi.resetModules();
    if (isBefore) vi.useFakeTimers();
    const copy = await import('@nccl-ts/core');
    if (!isBefore) vi.useFakeTimers();
    const calls: number[] = [];
    for (let queues = 0; queues < 2; queues++) {
      const queue = copy.createMacrotaskQueue();
      for (let call = 0; call < 3; call++) {
        await new Promise<void>((resolve) => {
          queue.post(() => {
            calls.push(call);
            resolve();
          });
        });
      }
      queue.close();
    }
    expect(calls).toEqual([0, 1, 2, 0, 1, 2]);
  });
});
