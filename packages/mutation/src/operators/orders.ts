import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import type { AtomicAccess, Statement } from '@nccl-ts/ir';
import type { CodeChange, Operator } from './operator.ts';

/** The orders that are one step weaker, for a read-modify-write or a fence. */
const weaker: Readonly<Record<MemoryOrder, readonly MemoryOrder[]>> = {
  seq_cst: ['acq_rel'],
  acq_rel: ['release', 'acquire'],
  release: ['relaxed'],
  acquire: ['relaxed'],
  relaxed: [],
};

/** The half of an order that a load or a store has. */
const halves: Readonly<Record<'load' | 'store', MemoryOrder>> = { load: 'acquire', store: 'release' };

const narrower: Readonly<Record<AccessScope, AccessScope | undefined>> = {
  system: 'device',
  device: 'block',
  cluster: 'block',
  block: undefined,
  thread: undefined,
};

type Ordered = Extract<Statement, { readonly access?: AtomicAccess }>;

function isOrdered(s: Statement): s is Ordered & { readonly access: AtomicAccess } {
  return (
    (s.kind === 'load' || s.kind === 'store' || s.kind === 'atomic' || s.kind === 'fence') && s.access !== undefined
  );
}

function ordersBelow(s: Ordered & { readonly access: AtomicAccess }): readonly MemoryOrder[] {
  const { order } = s.access;
  if (s.kind === 'load' || s.kind === 'store') return order === 'seq_cst' ? [halves[s.kind]] : weaker[order];
  // A relaxed fence has no effect; `removeFence` handles that.
  return s.kind === 'fence' ? weaker[order].filter((below) => below !== 'relaxed') : weaker[order];
}

function withAccess(s: Ordered, access: AtomicAccess): Statement {
  return Object.freeze({ ...s, access: Object.freeze(access) });
}

/** Weakens an order by one step. */
export const weakenOrder: Operator = ({ statement: s }) => {
  if (!isOrdered(s)) return [];
  return ordersBelow(s).map((order): CodeChange => ({
    operator: 'order-weakened',
    detail: order,
    does: `is ${order}, not ${s.access.order}`,
    becomes: [withAccess(s, { ...s.access, order })],
  }));
};

/** Narrows a scope by one step. */
export const narrowScope: Operator = ({ statement: s }) => {
  if (!isOrdered(s)) return [];
  const scope = narrower[s.access.scope];
  if (scope === undefined || (s.kind === 'fence' && s.access.order === 'relaxed')) return [];
  return [
    {
      operator: 'scope-narrowed',
      detail: scope,
      does: `has ${scope} scope, not ${s.access.scope} scope`,
      becomes: [withAccess(s, { ...s.access, scope })],
    },
  ];
};

/** Makes an ordered load or store an ordinary one. */
export const makePlain: Operator = ({ statement: s }) => {
  if ((s.kind !== 'load' && s.kind !== 'store') || s.access === undefined) return [];
  const { access, ...plain } = s;
  return [
    {
      operator: 'access-plain',
      does: `is an ordinary one, not ${access.order} at ${access.scope} scope`,
      becomes: [Object.freeze(plain)],
    },
  ];
};

/** Removes a fence. */
export const removeFence: Operator = ({ statement: s }) => {
  if (s.kind === 'fenceProxy') return [{ operator: 'proxy-fence-removed', does: 'is removed', becomes: [] }];
  if (s.kind !== 'fence' || s.access.order === 'relaxed') return [];
  return [{ operator: 'fence-removed', does: `(${s.access.order}, ${s.access.scope}) is removed`, becomes: [] }];
};
