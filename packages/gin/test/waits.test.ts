import { devComm } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { walkBody } from '@nccl-ts/ir';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const [use, params] = [{ gin }, { comm: devComm }];

/** Returns the kinds of waits and loops in a kernel. */
function kinds(of: Pick<Kernel, 'compile'>): readonly string[] {
  const found: string[] = [];
  walkBody(of.compile().body, {
    statement: ({ kind }) => {
      if (kind === 'wait' || kind === 'waitAll' || kind === 'loop') found.push(kind);
    },
  });
  return found;
}

describe('a polled signal', () => {
  it('becomes a wait, both with waitUntil and in a loop', () => {
    const until = kernel({ name: 'k', use, params }, ({ gin, waitUntil }, { comm }) => {
      const net = gin.context(comm, 0);
      waitUntil(() => net.readSignal(0) >= 1 || net.readCounter(0) > 2);
    });
    const loop = kernel({ name: 'k', use, params }, ({ gin }, { comm }) => {
      const net = gin.context(comm, 0);
      while (net.readSignal(0, { bits: 32 }) < 1) {}
    });
    expect(kinds(until)).toEqual(['wait']);
    expect(kinds(loop)).toEqual(['wait']);
  });

  it.for(slow)("cannot be the condition of a group's wait", () => {
    const all = kernel({ name: 'k', use, params }, ({ gin, coopCta }, { comm }) => {
      const net = gin.context(comm, 0);
      coopCta().waitAll(2, (i) => net.readSignal(i) >= 1);
    });
    expect(() => kinds(all)).toThrow(/K3101[^]*a wait condition cannot call gin\.readSignal for a group/);
  });

  it('cannot be part of a condition with side effects', () => {
    const posts = kernel({ name: 'k', use, params }, ({ gin, waitUntil }, { comm }) => {
      const net = gin.context(comm, 0);
      waitUntil(() => {
        net.resetSignal(0);
        return net.readSignal(0) >= 1;
      });
    });
    expect(() => kinds(posts)).toThrow(/K3101/);
  });
});
