import { randomOf } from './random-draft.ts';
import type { Draft, Random } from './random-draft.ts';
import { writeMix } from './random-mix.ts';
import { patterns } from './random-patterns.ts';
import { linesOf, smallProgram } from './small-program.ts';
import type { Operation, Place, SmallProgram } from './small-program.ts';

/**
 * A program of 2 to 4 agents on 1 or 2 ranks with 3 to 8 accesses, the same for the same seed. Four
 * of five are made of patterns such as a message with its flag, each of them right or with
 * something too weak or missing; the others have no plan.
 */
export function randomProgram(seed: number): SmallProgram {
  const random = randomOf(seed);
  for (;;) {
    const agents = attempt(random);
    const accesses = agents.flatMap(({ operations }) => linesOf(operations)).filter(isAccess).length;
    const idle = agents.some(({ operations }) => operations.length === 0);
    if (accesses >= 3 && accesses <= 8 && !idle) return smallProgram(`seed ${seed}`, agents);
  }
}

function attempt(random: Random): SmallProgram['agents'] {
  const places = randomPlaces(random, random.pick([2, 2, 3, 3, 4]));
  const written = places.map((): Operation[] => []);
  const care = random.pick([1, 1, 0.9, 0.7, 0.5]);
  const flags = ['f', 'g', 'h'];
  let registers = 0;
  const draft: Draft = {
    random,
    care,
    places,
    append: (agent, ...operations) => void written[agent]?.push(...operations),
    register: () => `r${registers++}`,
    flag: () => flags.shift() ?? 'h',
    agents: (count) => shuffled(random, [...places.keys()]).slice(0, count),
  };
  const accesses = 3 + random.below(6);
  if (random.chance(0.2)) writeMix(draft, accesses);
  else writePatterns(draft, accesses);
  return places.map((place, agent) => ({ place, operations: written[agent] ?? [] }));
}

function writePatterns(draft: Draft, accesses: number): void {
  const { random, places } = draft;
  for (let left = accesses; left > 0;) {
    const fitting = patterns.filter(({ accesses, agents }) => accesses <= left && agents <= places.length);
    const pattern = fitting[random.below(fitting.length)];
    if (pattern === undefined) break;
    pattern.write(draft);
    left -= pattern.accesses;
  }
}

function isAccess({ operation }: Readonly<{ operation: Operation }>): boolean {
  return 'location' in operation;
}

function randomPlaces(random: Random, count: number): readonly Place[] {
  const ranks = random.pick([1, 2, 2]);
  const ctas = random.pick([1, 2, 2]);
  return Array.from({ length: count }, (_, thread) => ({
    rank: random.below(ranks),
    cta: random.below(ctas),
    thread,
  }));
}

function shuffled(random: Random, items: readonly number[]): readonly number[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.below(last + 1);
    const { [last]: a = 0, [other]: b = 0 } = result;
    result[last] = b;
    result[other] = a;
  }
  return result;
}
