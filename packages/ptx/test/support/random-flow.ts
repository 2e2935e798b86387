import type { Type } from '@nccl-ts/ir';
import { bool, branch, choose, draws, ends, FlowBuilder, jump, says, u32 } from './flow-builder.ts';
import type { FlowEnd } from '../../src/flow/flow-graph.ts';
import { seeded } from './seeded.ts';

/**
 * A random graph of `count` blocks. Some blocks are unreachable, and some loops have several
 * entries.
 */
export function randomDigraph(seed: number, count: number): FlowBuilder {
  const random = seeded(seed);
  const builder = new FlowBuilder();
  // Mostly to a nearby block, so that there are loops of all sizes.
  const target = (from: number): number => {
    if (random() % 3 === 0) return random() % count;
    return Math.min(count - 1, Math.max(0, from + (random() % 4) - 1));
  };
  for (let i = 0; i < count; i++) addBlock(builder, i, random() % 8, () => target(i));
  return builder;
}

function addBlock(builder: FlowBuilder, id: number, kind: number, target: () => number): void {
  const text = says(`${id}`);
  if (kind === 0) {
    builder.add([text], ends);
  } else if (kind === 1) {
    builder.add([], jump(target()));
  } else if (kind === 2) {
    builder.add([text], jump(target()));
  } else if (kind === 3) {
    const index = builder.variable('index', u32);
    builder.add([text, draws(index)], choose(index, target(), target(), target(), target()));
  } else {
    const condition = builder.variable('condition', bool);
    builder.add([text, draws(condition)], branch(condition, target(), target()));
  }
}

interface Scope {
  /**
   * The possible targets of jumps out of enclosing constructs: the ends of `if`s and loops, and the
   * heads of loops.
   */
  readonly targets: readonly number[];
}

/**
 * A random reducible graph of about `count` blocks, made of sequences, `if`s, loops and switches,
 * with jumps out of them.
 */
export function randomGotos(seed: number, count: number): FlowBuilder {
  const random = seeded(seed);
  const ways: (FlowEnd | undefined)[] = [];
  const builder = new FlowBuilder();
  const open = (): number => {
    ways.push(undefined);
    return ways.length - 1;
  };
  const conditions = new Map<number, ReturnType<FlowBuilder['variable']>>();
  const drawn = (block: number, type: Type): ReturnType<FlowBuilder['variable']> => {
    const made = builder.variable(type === bool ? 'c' : 'i', type);
    conditions.set(block, made);
    return made;
  };
  let budget = count;
  /** Fills in the blocks from `at` on, which continue at `next`. */
  const sequence = (at: number, next: number, scope: Scope, depth: number): void => {
    let current = at;
    const steps = depth === 0 ? count : 1 + (random() % 3);
    for (let i = 0; i < steps; i++) {
      if (budget <= 0) break;
      const after = open();
      construct(current, after, scope, depth);
      current = after;
    }
    ways[current] = jump(next);
  };
  const construct = (at: number, after: number, scope: Scope, depth: number): void => {
    budget--;
    const kind = depth > 12 ? 0 : random() % 7;
    if (kind === 0) {
      ways[at] = jump(after);
    } else if (kind === 1 && scope.targets.length > 0) {
      const out = scope.targets[random() % scope.targets.length] ?? after;
      ways[at] = branch(drawn(at, bool), random() % 2 === 0 ? out : after, random() % 2 === 0 ? after : out);
    } else if (kind === 2) {
      const [then, otherwise] = [open(), open()];
      ways[at] = branch(drawn(at, bool), then, otherwise);
      const inside = { targets: [...scope.targets, after] };
      sequence(then, after, inside, depth + 1);
      sequence(otherwise, after, inside, depth + 1);
    } else if (kind === 3) {
      const then = open();
      ways[at] = random() % 2 === 0 ? branch(drawn(at, bool), then, after) : branch(drawn(at, bool), after, then);
      sequence(then, after, { targets: [...scope.targets, after] }, depth + 1);
    } else if (kind === 4) {
      const head = open();
      const body = open();
      ways[at] = jump(head);
      ways[head] = random() % 3 === 0 ? jump(body) : branch(drawn(head, bool), body, after);
      sequence(body, head, { targets: [...scope.targets, after, head] }, depth + 1);
    } else if (kind === 5) {
      const cases = [open(), open(), open()];
      ways[at] = choose(drawn(at, u32), ...cases, after);
      cases.forEach((one, i) =>
        sequence(one, cases[i + 1] ?? after, { targets: [...scope.targets, after] }, depth + 1),
      );
    } else {
      const body = open();
      const latch = open();
      ways[at] = jump(body);
      ways[latch] = branch(drawn(latch, bool), body, after);
      sequence(body, latch, { targets: [...scope.targets, latch, after] }, depth + 1);
    }
  };
  const [start, end] = [open(), open()];
  sequence(start, end, { targets: [] }, 0);
  ways.forEach((way, id) => {
    const condition = conditions.get(id);
    const texts = random() % 5 === 0 ? [] : [says(`${id}`)];
    builder.add(condition === undefined ? texts : [...texts, draws(condition)], way ?? ends);
  });
  return builder;
}
