import { compare, statementBodies, type Body } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import type { FlowGraph } from '../../src/flow/flow-graph.ts';
import { simplifyFlow } from '../../src/flow/simplify-flow.ts';
import { structureFlow } from '../../src/structure/structure-flow.ts';
import { at as elementAt } from '@nccl-ts/core';
import {
  bool,
  branch,
  choose,
  draws,
  ends,
  FlowBuilder,
  jump,
  loads,
  number,
  p,
  says,
  u32,
} from '../support/flow-builder.ts';
import { FlowInterpreter } from '../support/interpret-flow.ts';
import { randomDigraph, randomGotos } from '../support/random-flow.ts';
import { seeded } from '../support/seeded.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/**
 * With NCCLTS_EVERY_CASE set, four times as many random graphs are structured; in the quick tests,
 * a fifth.
 */
const most = !inject('slow') ? 0.2 : inject('everyCase') ? 4 : 1;

function traces(graph: FlowGraph, builder: FlowBuilder, seed: number): [string, string] | 'irreducible' {
  const structured = structureFlow(graph, builder);
  if ('irreducible' in structured) return 'irreducible';
  builder.checked(structured.body);
  const run = (go: (one: FlowInterpreter) => FlowInterpreter): string => {
    const random = seeded(seed);
    return go(
      new FlowInterpreter((s) => (s.kind === 'collective' && s.op === 'ballot' ? random() % 4 : random()), 4000),
    )
      .trace.slice(0, 150)
      .join(' ');
  };
  return [run((one) => one.graph(graph)), run((one) => one.structured(structured.body))];
}

/**
 * True if the graph is reducible: nothing remains after self-loops are removed and blocks with one
 * predecessor are merged into it, repeatedly.
 */
function collapses({ blocks }: FlowGraph): boolean {
  const reached = new Set([0]);
  const targets = (id: number): number[] => {
    const { end } = elementAt(blocks, id);
    return end.kind === 'jump'
      ? [end.to]
      : end.kind === 'branch'
        ? [end.then, end.else]
        : end.kind === 'switch'
          ? [...end.targets]
          : [];
  };
  for (const id of reached) for (const to of targets(id)) reached.add(to);
  const after = new Map([...reached].map((id) => [id, new Set(targets(id))]));
  for (let changed = true; changed;) {
    changed = false;
    for (const [id, to] of after) {
      if (to.delete(id)) changed = true;
      if (id === 0) continue;
      const before = [...after].filter(([, others]) => others.has(id));
      const [only] = before;
      if (before.length !== 1 || only === undefined) continue;
      only[1].delete(id);
      for (const one of to) only[1].add(one);
      after.delete(id);
      changed = true;
    }
  }
  return after.size === 1;
}

describe('structured code behaves like the graph', () => {
  it('for structured programs with jumps out of nested constructs', () => {
    for (let seed = 0; seed < 200 * most; seed++) {
      const builder = randomGotos(seed, 4 + (seed % 40));
      const result = traces(builder.graph, builder, seed);
      if (result === 'irreducible') throw new Error(`program ${seed} is not reducible`);
      expect(result[1], `program ${seed}`).toBe(result[0]);
    }
  });

  it.for(slow)('behaves like any graph, or reports a loop with several entries', () => {
    let irreducible = 0;
    for (let seed = 0; seed < 300 * most; seed++) {
      const builder = randomDigraph(seed, 2 + (seed % 25));
      const result = traces(builder.graph, builder, seed);
      expect(result === 'irreducible', `graph ${seed}`).toBe(!collapses(simplifyFlow(builder.graph)));
      if (result === 'irreducible') irreducible++;
      else expect(result[1], `graph ${seed}`).toBe(result[0]);
    }
    expect(irreducible).toBeGreaterThan(25 * most);
    expect(irreducible).toBeLessThan(275 * most);
  });
});

describe('large graphs', () => {
  const step = (
    builder: FlowBuilder,
    end: (condition: ReturnType<FlowBuilder['variable']>) => Parameters<FlowBuilder['add']>[1],
  ) => {
    const condition = builder.variable('c', bool);
    builder.add([says('.'), draws(condition)], end(condition));
  };
  const shapes: Record<string, (count: number) => FlowBuilder> = {
    'exits that all lead to the end': (count) => {
      const builder = new FlowBuilder();
      for (let i = 0; i < count - 1; i++) step(builder, (c) => branch(c, count - 1, i + 1));
      builder.add([says('end')], ends);
      return builder;
    },
    'jumps over one block each': (count) => {
      const builder = new FlowBuilder();
      for (let i = 0; i < count - 2; i++) step(builder, (c) => branch(c, i + 1, i + 2));
      builder.add([says('a')], jump(count - 1));
      builder.add([says('end')], ends);
      return builder;
    },
    'loops one behind the other': (count) => {
      const builder = new FlowBuilder();
      for (let i = 0; i < count - 1; i++) step(builder, (c) => branch(c, i, i + 1));
      builder.add([says('end')], ends);
      return builder;
    },
    'one switch': (count) => {
      const builder = new FlowBuilder();
      const index = builder.variable('i', u32);
      builder.add([draws(index)], choose(index, ...Array.from({ length: count - 2 }, (_, i) => i + 1)));
      for (let i = 0; i < count - 2; i++) builder.add([says(`${i}`)], jump(count - 1));
      builder.add([says('end')], ends);
      return builder;
    },
    'one loop with many ways back': (count) => {
      const builder = new FlowBuilder();
      for (let i = 0; i < count - 1; i++) step(builder, (c) => branch(c, 0, i + 1));
      builder.add([says('end')], ends);
      return builder;
    },
    'random jumps': (count) => randomGotos(1, count),
    'spins with a first round in front of each': (count) => {
      const builder = new FlowBuilder();
      const [v, w] = [builder.variable('v', u32), builder.variable('w', u32)];
      for (let at = 0; at < count - 2; at += 2) {
        builder.add([loads(v, p, 'acquire')], branch(compare('eq', v, number(7)), at + 2, at + 1));
        builder.add([loads(w, p, 'acquire')], branch(compare('ne', w, number(7)), at + 1, at + 2));
      }
      builder.add([says('end')], ends);
      return builder;
    },
  };
  const depthOf = (body: Body): number =>
    1 + Math.max(0, ...body.flatMap((s) => statementBodies(s).map((inner) => depthOf(inner))));

  it.each(
    ['exits that all lead to the end', 'loops one behind the other', 'random jumps'].filter(
      (_, i) => (i === 0) !== inject('slow'),
    ),
  )('become flat code: %s', (name) => {
    const builder = shapes[name]?.(2000);
    const structured = builder && structureFlow(builder.graph, builder);
    if (structured === undefined || 'irreducible' in structured) throw new Error('there is no such shape');
    expect(depthOf(structured.body)).toBeLessThan(150);
    builder?.checked(structured.body);
  });

  // The quick tests have one.
  for (const [name, make] of Object.entries(shapes).filter((_, i) => (i === 0) !== inject('slow'))) {
    it(`take time proportional to their size: ${name}`, () => {
      // Processor time, so that other work on the machine makes little difference.
      const time = (count: number): number => {
        const builder = make(count);
        const start = process.cpuUsage().user;
        expect('body' in structureFlow(builder.graph, builder)).toBe(true);
        return process.cpuUsage().user - start;
      };
      const small = Math.min(time(1000), time(1000), time(1000));
      // A proportional run takes ten times as long, a quadratic one a hundred times. The large
      // graph gets an additional third of a second for garbage collection. A shared machine slows
      // some runs down, so the best of up to six counts.
      const limit = 40 * small + 167_000;
      let large = Infinity;
      for (let i = 0; i < 6 && large > limit; i++) large = Math.min(large, time(10_000));
      expect(large).toBeLessThanOrEqual(limit);
    });
  }
});
