import { at } from '@nccl-ts/core';

/** Reachability between the nodes of an acyclic graph. */
export class Reachability {
  readonly #words: number;
  /** Rows of bits. Bit `j` of row `i` is set if `j` is reachable from `i`. */
  readonly #bits: Uint32Array;

  private constructor(nodes: number) {
    this.#words = Math.ceil(nodes / 32);
    this.#bits = new Uint32Array(nodes * this.#words);
  }

  /** `next` has the targets of the edges of each node. Returns `undefined` if there is a cycle. */
  static of(next: readonly (readonly number[])[]): Reachability | undefined {
    const found = new Reachability(next.length);
    const order = orderOf(next);
    if (order === undefined) return undefined;
    for (const node of order) for (const to of at(next, node)) found.#lead(node, to);
    return found;
  }

  has(from: number, to: number): boolean {
    const word = this.#bits[from * this.#words + (to >>> 5)];
    // `at` would be too slow here.
    if (word === undefined) throw new RangeError(`There is no node ${from}.`);
    return ((word >>> (to & 31)) & 1) === 1;
  }

  #lead(from: number, to: number): void {
    if (this.has(from, to)) return;
    const words = this.#words;
    const bits = this.#bits;
    for (let i = 0; i < words; i++) {
      const more = bits[to * words + i];
      const some = bits[from * words + i];
      // `at` would be too slow here, because this is an innermost loop.
      if (more === undefined || some === undefined) throw new RangeError(`There is no node ${to}.`);
      bits[from * words + i] = some | more;
    }
    const own = from * words + (to >>> 5);
    bits[own] = at(bits, own) | (1 << (to & 31));
  }
}

/** The nodes, each after all nodes reachable from it. `undefined` if there is a cycle. */
function orderOf(next: readonly (readonly number[])[]): readonly number[] | undefined {
  const order: number[] = [];
  const states = new Uint8Array(next.length);
  for (const start of next.keys()) {
    if (states[start] !== 0) continue;
    const open = [{ node: start, at: 0 }];
    states[start] = 1;
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const to = at(next, top.node)[top.at++];
      if (to === undefined) {
        states[top.node] = 2;
        order.push(top.node);
        open.pop();
      } else if (states[to] === 1) return undefined;
      else if (states[to] === 0) {
        states[to] = 1;
        open.push({ node: to, at: 0 });
      }
    }
  }
  return order;
}
