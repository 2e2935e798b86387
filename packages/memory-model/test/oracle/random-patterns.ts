import { add, barrier, cas, exch, fence, load, store, strong, when } from './operations.ts';
import { scopeFor, scopes } from './random-draft.ts';
import type { Draft } from './random-draft.ts';
import { data, fenceOrders, loadOrders, observe, orders, publish, storeOrders, touch } from './random-steps.ts';
import type { Operation } from './small-program.ts';

/** Adds operations to a draft. `accesses` of them read or write. */
export type Pattern = Readonly<{ accesses: number; agents: number; write: (draft: Draft) => void }>;

/** One agent writes data and a flag, and another sees the flag and accesses the data. */
const message: Pattern = {
  accesses: 4,
  agents: 2,
  write: (draft) => {
    const [from = 0, to = 1] = draft.agents(2);
    const location = draft.random.pick(data);
    const flag = draft.flag();
    draft.append(from, touch(draft, location), ...publish(draft, flag, from, to));
    draft.append(to, ...observe(draft, flag, 1, from, to, [touch(draft, location)]));
  },
};

/** A message that a third agent passes on. */
const relay: Pattern = {
  accesses: 6,
  agents: 3,
  write: (draft) => {
    const [from = 0, between = 1, to = 2] = draft.agents(3);
    const location = draft.random.pick(data);
    const flag = draft.flag();
    const second = draft.flag();
    draft.append(from, touch(draft, location), ...publish(draft, flag, from, between));
    draft.append(between, ...observe(draft, flag, 1, from, between, publish(draft, second, between, to)));
    draft.append(to, ...observe(draft, second, 1, between, to, [touch(draft, location)]));
  },
};

/**
 * Two agents increment a counter, and a third one reads both increments and accesses the data of
 * the first.
 */
const count: Pattern = {
  accesses: 5,
  agents: 3,
  write: (draft) => {
    const [first = 0, second = 1, to = 2] = draft.agents(3);
    const location = draft.random.pick(data);
    const flag = draft.flag();
    draft.append(first, touch(draft, location), ...publish(draft, flag, first, to, true));
    const scope = scopeFor(draft, second, to);
    draft.append(second, add(draft.register(), flag, 1, strong(draft.random.pick(orders), scope)));
    draft.append(to, ...observe(draft, flag, 2, first, to, [touch(draft, location)]));
  },
};

/** The first thread to take a word accesses the data. */
const lock: Pattern = {
  accesses: 4,
  agents: 2,
  write: (draft) => {
    const { random } = draft;
    const [first = 0, second = 1] = draft.agents(2);
    const location = random.pick(data);
    const flag = draft.flag();
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const register = draft.register();
      const ordering = strong(random.pick(orders), scopeFor(draft, own, other));
      const take = random.chance(0.5) ? cas(register, flag, 0, 1, ordering) : exch(register, flag, 1, ordering);
      draft.append(own, take, when(register, 0, touch(draft, location)));
    }
  },
};

/** Each raises a flag, and accesses the data if the other's flag is not set. */
const flags: Pattern = {
  accesses: 6,
  agents: 2,
  write: (draft) => {
    const { random, care } = draft;
    const [first = 0, second = 1] = draft.agents(2);
    const location = random.pick(data);
    const raised = [draft.flag(), draft.flag()] as const;
    for (const [own, other, mine, yours] of [
      [first, second, ...raised],
      [second, first, raised[1], raised[0]],
    ] as const) {
      const scope = scopeFor(draft, own, other);
      const register = draft.register();
      draft.append(
        own,
        store(mine, 1, strong('relaxed', scope)),
        fence(random.chance(care) ? 'seq_cst' : random.pick(fenceOrders), scope),
        load(register, yours, strong(random.pick(loadOrders), scope)),
        when(register, 0, touch(draft, location)),
      );
    }
  },
};

/**
 * Threads of a CTA access data on both sides of its barrier. Without two such threads, it is a
 * short message.
 */
const meeting: Pattern = {
  accesses: 2,
  agents: 2,
  write: (draft) => {
    const { random, care, places } = draft;
    const [before = 0] = draft.agents(1);
    const own = places[before];
    const group = [...places.keys()].filter((agent) => {
      const { [agent]: place } = places;
      return place?.rank === own?.rank && place?.cta === own?.cta;
    });
    const after = group.find((agent) => agent !== before);
    if (after === undefined) return;
    const location = random.pick(data);
    draft.append(before, touch(draft, location));
    for (const agent of group) if (random.chance(0.5 + care / 2)) draft.append(agent, barrier());
    draft.append(after, touch(draft, location));
  },
};

/** A strong access that is independent of all others. */
const atom: Pattern = {
  accesses: 1,
  agents: 1,
  write: (draft) => {
    const { random } = draft;
    const [own = 0, other = 1] = draft.agents(2);
    const scope = scopeFor(draft, own, other);
    const register = draft.register();
    const operation = random.pick<() => Operation>([
      () => load(register, 'c', strong(random.pick(loadOrders), scope)),
      () => store('c', 1 + random.below(2), strong(random.pick(storeOrders), scope)),
      () => add(register, 'c', 1, strong(random.pick(orders), scope)),
      () => exch(register, 'c', 2, strong(random.pick(orders), scope)),
      () => cas(register, 'c', random.below(2), 2, strong(random.pick(orders), scope)),
    ]);
    draft.append(own, operation());
  },
};

/** Copies the value that it reads to another location. */
const copy: Pattern = {
  accesses: 2,
  agents: 1,
  write: (draft) => {
    const { random } = draft;
    const [own = 0, other = 1] = draft.agents(2);
    const register = draft.register();
    const scope = scopeFor(draft, own, other);
    const from = random.pick(['c', 'x', 'd']);
    const to = random.pick(['c', 'y', 'd']);
    const weak = random.chance(0.2);
    draft.append(
      own,
      load(register, from, weak ? 'weak' : strong(random.pick(loadOrders), scope)),
      random.chance(0.3)
        ? exch(draft.register(), to, register, strong(random.pick(orders), scope))
        : store(to, { register, constant: random.below(2) }, weak ? 'weak' : strong(random.pick(storeOrders), scope)),
    );
  },
};

/** A plain access of data that nothing guards. */
const stray: Pattern = {
  accesses: 1,
  agents: 1,
  write: (draft) => {
    const [own = 0] = draft.agents(1);
    draft.append(own, touch(draft, draft.random.pick(['x', 'y', 'z'])));
    if (draft.random.chance(0.2)) draft.append(own, fence(draft.random.pick(fenceOrders), draft.random.pick(scopes)));
  },
};

/** Duplicates are selected more often. */
export const patterns: readonly Pattern[] = [
  message,
  message,
  message,
  relay,
  count,
  lock,
  flags,
  meeting,
  atom,
  copy,
  stray,
];
