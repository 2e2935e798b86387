import { literal } from '../emit-shared/literals.ts';

/** An access by all threads, given as JavaScript's text of the address that thread 0 accesses. */
export interface Touched {
  readonly base: string;
  readonly stride: number;
  readonly bytes: number;
  readonly stores: boolean;
}

/**
 * Returns the conditions under which several threads can run statements together, as JavaScript
 * texts: no thread may access memory that another one stores to. `last` is the text of the last
 * thread's index. Returns `undefined` if they never hold.
 */
export function disjointness(touched: readonly Touched[], last: string): readonly string[] | undefined {
  const found = new Set<string>();
  for (const store of touched.filter(({ stores }) => stores)) {
    if (store.stride < store.bytes) return undefined;
    for (const other of touched) {
      const isAlike = other.stride === store.stride && other.bytes <= other.stride;
      if (isAlike && other.base === store.base) continue;
      if (other.stride < 0) return undefined;
      const [a, b] = store.base < other.base || !other.stores ? [store, other] : [other, store];
      const equal = isAlike ? ` || ${a.base} === ${b.base}` : '';
      found.add(`(${a.base} >= ${endOf(b, last)} || ${b.base} >= ${endOf(a, last)}${equal})`);
    }
  }
  return [...found];
}

function endOf({ base, stride, bytes }: Touched, last: string): string {
  if (stride === 0) return `${base} + ${bytes}`;
  return stride === bytes
    ? `${base} + (${last} + 1) * ${literal(stride)}`
    : `${base} + ${last} * ${literal(stride)} + ${bytes}`;
}
