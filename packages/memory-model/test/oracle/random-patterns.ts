import type { MemoryOrder } from '@nccl-ts/core';

import { add, barrier, cas, exch, fence, load, store, strong, wait, when } from './operations.ts';
import { scopeFor } from './random-draft.ts';
import type { Draft } from './random-draft.ts';
import type { FenceOrder, LoadOrder, Operation, StoreOrder } from './small-program.ts';

/** Adds some operations to a draft; `accesses` of them read or write. */
export type Pattern = Readonly<{ accesses: number; agents: number; write: (draft: Draft) => void }>;

type Choices<T> = readonly [T, ...T[]];

const data: Choices<string> = ['x', 'y'];
const orders: Choices<MemoryOrder> = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'];
const loadOrders: Choices<LoadOrder> = ['relaxed', 'acquire', 'seq_cst'];
const storeOrders: Choices<StoreOrder> = ['relaxed', 'release', 'seq_cst'];
const fenceOrders: Choices<FenceOrder> = ['acquire', 'release', 'acq_rel', 'seq_cst'];
const releasing: Choices<'release' | 'seq_cst'> = ['release', 'release', 'seq_cst'];
const acquiring: Choices<'acquire' | 'seq_cst'> = ['acquire', 'acquire', 'seq_cst'];

/** Reads or writes data without any order of its own. */
function touch(draft: Draft, location: string): Operation {
  const { random } = draft;
  if (random.chance(0.4)) return load(draft.register(), location);
  return store(location, 1 + random.below(2));
}

/** Makes what stands before it visible to who sees `flag`; adds where `adding`, else sets it to 1. */
function publish(draft: Draft, flag: string, from: number, to: number, adding = false): readonly Operation[] {
  const { random, care } = draft;
  const scope = scopeFor(draft, from, to);
  const careful = random.chance(care);
  if (random.chance(0.3)) {
    const { [from]: own, [to]: other } = draft.places;
    const update = adding ? add : random.pick([add, exch]);
    const ordered = fence(
      careful ? random.pick(fenceOrders) : 'release',
      careful ? scope : scopeFor(draft, from, from),
    );
    const set =
      adding || random.chance(0.3)
        ? update(draft.register(), flag, 1, strong('relaxed', scope))
        : store(flag, 1, strong('relaxed', scope));
    return careful || own === other ? [ordered, set] : [set];
  }
  if (adding || random.chance(0.3)) {
    const order = careful ? random.pick(['release', 'acq_rel', 'seq_cst'] as const) : random.pick(orders);
    return [random.pick([add, adding ? add : exch])(draft.register(), flag, 1, strong(order, scope))];
  }
  if (!careful && random.chance(0.3)) return [store(flag, 1)];
  return [store(flag, 1, strong(careful ? random.pick(releasing) : random.pick(storeOrders), scope))];
}

/** `body`, for who saw that `flag` holds `value`. */
function observe(
  draft: Draft,
  flag: string,
  value: number,
  from: number,
  to: number,
  body: readonly Operation[],
): readonly Operation[] {
  const { random, care } = draft;
  const scope = scopeFor(draft, to, from);
  const careful = random.chance(care);
  const fenced = careful && random.chance(0.3);
  const order = fenced ? 'relaxed' : random.pick(careful ? acquiring : loadOrders);
  const inside = fenced ? [fence(random.pick(fenceOrders), scope), ...body] : body;
  const ordering = !careful && random.chance(0.2) ? 'weak' : strong(order, scope);
  if (random.chance(0.45)) return [wait(flag, value, ordering), ...inside];
  const register = draft.register();
  if (ordering === 'weak' || random.chance(0.7))
    return [load(register, flag, ordering), when(register, value, ...inside)];
  const update = random.pick([
    () => add(register, flag, 0, ordering),
    () => exch(register, flag, 0, ordering),
    () => cas(register, flag, value, value + 1, ordering),
  ]);
  return [update(), when(register, value, ...inside)];
}

/** One writes data and a flag, another sees the flag and touches the data. */
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

/** Two count up, one sees both and touches what the first wrote. */
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

/** Who takes a word first touches the data. */
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

/** Each raises a flag and touches the data if the other's is down. */
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

/** Threads of a CTA touch data on both sides of its barrier; without two such threads, it is a message in short. */
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

/** A strong access that is on its own. */
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

/** Takes what it reads to another place, as a store of a register. */
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
      store(to, { register, constant: random.below(2) }, weak ? 'weak' : strong(random.pick(storeOrders), scope)),
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
    if (draft.random.chance(0.2))
      draft.append(
        own,
        fence(draft.random.pick(fenceOrders), draft.random.pick(['block', 'thread', 'device', 'system'])),
      );
  },
};

/** Those that stand here more than once are taken more often. */
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
