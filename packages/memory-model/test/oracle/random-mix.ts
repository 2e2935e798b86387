import { add, barrier, cas, exch, fence, load, store, strong, wait, when } from './operations.ts';
import type { ValueLike } from './operations.ts';
import { scopes } from './random-draft.ts';
import type { Draft, Random } from './random-draft.ts';
import { fenceOrders, loadOrders, orders, storeOrders } from './random-steps.ts';
import type { Operation } from './small-program.ts';

/** Writes `accesses` random accesses, for programs that the patterns never produce. */
export function writeMix(draft: Draft, accesses: number): void {
  const { random, places } = draft;
  const mix = mixOf(draft);
  const known = places.map((): string[] => []);
  for (let left = accesses; left > 0; left--) {
    const agent = random.below(places.length);
    const own = known[agent] ?? [];
    if (random.chance(0.25)) draft.append(agent, fence(random.pick(fenceOrders), mix.scope()));
    if (random.chance(0.04)) draft.append(agent, barrier());
    const [condition] = own.slice(random.below(own.length + 1));
    if (condition === undefined || random.chance(0.6)) {
      draft.append(agent, mix.access(own));
      continue;
    }
    // Values loaded in a body cannot be used outside.
    const inside = [...own];
    const body = [mix.access(inside)];
    if (left > 1 && random.chance(0.4)) {
      body.push(mix.access(inside));
      left--;
    }
    draft.append(agent, when(condition, random.below(3), ...body));
  }
}

type Mix = Readonly<{
  scope: () => (typeof scopes)[number];
  /** Makes an access, which may use the known registers, and adds its own to them. */
  access: (known: string[]) => Operation;
}>;

function mixOf({ random, register }: Draft): Mix {
  const locations = random.pick<readonly [string, ...string[]]>([['x', 'y'], ['x', 'y'], ['x'], ['x', 'y', 'z']]);
  const reach = random.pick<typeof scopes>([['system'], ['system', 'device'], scopes]);
  const plain = random.pick([0.1, 0.5]);
  const scope = (): (typeof scopes)[number] => random.pick(reach);
  return {
    scope,
    access: (known) => {
      const location = random.pick(locations);
      const weak = random.chance(plain);
      const value = valueOf(random, known);
      const into = register();
      const kind = random.below(10);
      if (kind < 4) return store(location, value, weak ? 'weak' : strong(random.pick(storeOrders), scope()));
      const ordering = weak ? 'weak' : strong(random.pick(loadOrders), scope());
      if (kind === 4) return wait(location, random.below(3), ordering);
      known.push(into);
      if (kind < 8) return load(into, location, ordering);
      const both = strong(random.pick(orders), scope());
      const update = random.pick([
        // Sums of registers have too many values for brute force.
        () => add(into, location, 1 + random.below(2), both),
        () => exch(into, location, value, both),
        () => cas(into, location, random.below(3), value, both),
      ]);
      return update();
    },
  };
}

function valueOf(random: Random, known: readonly string[]): ValueLike {
  const [register] = known.slice(random.below(known.length + 1));
  if (register === undefined || random.chance(0.4)) return 1 + random.below(2);
  return { register, constant: random.below(2) };
}
