import { binary, compare, walkBody, type Statement } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import type { FlowEnd } from '../../src/flow/flow-graph.ts';
import { structureFlow } from '../../src/structure/structure-flow.ts';
import { branch, choose, ends, FlowBuilder, jump, loads, number, sets, u32 } from '../support/flow-builder.ts';
import { FlowInterpreter } from '../support/interpret-flow.ts';
import { seeded } from '../support/seeded.ts';

/**
 * Loops of several blocks that load and compute, one after the other. After each loop, all locals
 * are printed.
 */
/** With NCCLTS_EVERY_CASE set, four times as many. */
const graphs = !inject('slow') ? 25 : inject('everyCase') ? 500 : 125;

function randomSpins(seed: number): FlowBuilder {
  const random = seeded(seed);
  const below = (count: number): number => random() % count;
  const builder = new FlowBuilder();
  const locals = [0, 1, 2, 3].map((i) => builder.variable(`r${i}`, u32));
  const any = (): (typeof locals)[number] => locals[below(locals.length)] ?? builder.variable('none', u32);
  const statement = (): Statement => {
    const kind = below(4);
    if (kind < 2) return loads(any(), undefined, kind === 0 ? 'acquire' : 'relaxed');
    return sets(any(), kind === 2 ? binary('xor', any(), any()) : binary('and', any(), number(3)));
  };
  const prints = (): Statement => ({ kind: 'print', args: locals, span: { source: 0, start: 0, end: 1 } });
  const test = (then: number, otherwise: number): FlowEnd =>
    branch(compare(below(2) === 0 ? 'eq' : 'lt', any(), number(below(6))), then, otherwise);
  builder.add(
    locals.map((one, i) => sets(one, number(i))),
    jump(1),
  );
  const loops = 1 + below(3);
  for (let i = 0; i < loops; i++) {
    // Sometimes a copy of the loop's last block precedes the loop, as its first round.
    const size = 1 + below(5);
    const isPeeled = below(2) === 0;
    const head = builder.blocks.length + (isPeeled ? 1 : 0);
    const behind = head + size;
    const blocks = Array.from({ length: size }, (_, at) => {
      const body = Array.from({ length: below(4) }, statement);
      const forward = (): number => head + at + 1 + below(size - at);
      const target = (): number => (below(3) === 0 ? behind : below(3) === 0 ? head : forward());
      const last = at === size - 1;
      const kind = below(6);
      const end: FlowEnd =
        kind === 0 && !last
          ? jump(forward())
          : kind === 1
            ? choose(binary('and', any(), number(3)), target(), last ? behind : target(), head, behind)
            : last
              ? below(2) === 0
                ? test(head, behind)
                : test(behind, head)
              : test(target(), target());
      return { body, end };
    });
    const copy = blocks.at(-1);
    if (isPeeled && copy !== undefined)
      builder.add([...Array.from({ length: below(2) }, statement), ...copy.body], copy.end);
    for (const { body, end } of blocks) builder.add(body, end);
    builder.add([prints()], jump(behind + 1));
  }
  builder.add([], ends);
  return builder;
}

describe('loops that only read', () => {
  it('leave the same values as in their original form, even if they become waits', () => {
    const became = { wait: 0, loop: 0 };
    for (let seed = 0; seed < graphs; seed++) {
      const builder = randomSpins(seed);
      const { graph } = builder;
      const structured = structureFlow(graph, builder);
      if ('irreducible' in structured) throw new Error(`graph ${seed} is not reducible`);
      builder.checked(structured.body);
      walkBody(structured.body, {
        statement: ({ kind }) => {
          if (kind === 'wait' || kind === 'loop') became[kind]++;
        },
      });
      const run = (go: (one: FlowInterpreter) => FlowInterpreter): string => {
        const random = seeded(seed);
        return go(new FlowInterpreter(() => random() % 6, 400)).trace.join();
      };
      const [before, after] = [run((one) => one.graph(graph)), run((one) => one.structured(structured.body))];
      expect(after.startsWith(before) || before.startsWith(after), `graph ${seed}: ${before} and ${after}`).toBe(true);
      if (before.split(',').length > 1) expect(after).not.toBe('');
    }
    expect(became.wait).toBeGreaterThan(graphs / 10);
    expect(became.loop).toBeGreaterThan(graphs / 10);
  });
});
