import type { OperandTree, Tree } from '../language/tree.ts';
import { typeOf, type Type } from '../language/type.ts';
import { kinds, type Kind } from '../reference/scalar.ts';
import type { Choices } from './choices.ts';
import { literal } from './literals.ts';
import { largestAddress } from './values.ts';
import { binary, compare } from './vocabulary.ts';

/** An address expression and the upper bound of its value. */
export interface Bounded {
  readonly tree: Tree;
  readonly most: bigint;
}

/** The other expressions from which addresses are made. */
export interface AddressParts {
  readonly scalar: (kind: Kind, depth: number) => Tree;
  readonly condition: (depth: number) => Tree;
  readonly operand: (type: Type) => OperandTree;
}

const mostAddress = largestAddress[0] ?? 0n;

/** Makes address expressions whose values stay between 0 and 2^53 - 1 for all operands. */
export class AddressMaker {
  readonly #choices: Choices;
  readonly #parts: AddressParts;

  constructor(choices: Choices, parts: AddressParts) {
    this.#choices = choices;
    this.#parts = parts;
  }

  address(depth: number): Bounded {
    const c = this.#choices;
    if (depth <= 0) return this.#addressLeaf();
    return c.weighted<Bounded>([
      [15, () => this.#addressLeaf()],
      [
        25,
        () => {
          const [a, b] = [this.address(depth - 1), this.#addressOperand(depth - 1)];
          if (a.most + b.most > mostAddress) return a;
          return {
            tree: c.chance(50) ? binary('+', a.tree, b.tree) : binary('+', b.tree, a.tree),
            most: a.most + b.most,
          };
        },
      ],
      [
        20,
        () => {
          const [a, b] = [this.address(depth - 1), this.#addressOperand(depth - 1)];
          if (a.most * b.most > mostAddress) return b.most === 0n ? b : a;
          return {
            tree: c.chance(50) ? binary('*', a.tree, b.tree) : binary('*', b.tree, a.tree),
            most: a.most * b.most,
          };
        },
      ],
      [
        20,
        () => {
          const [a, b] = [this.address(c.below(2)), this.#addressOperand(c.below(2))];
          const [down, up] = [binary('-', a.tree, b.tree), binary('-', b.tree, a.tree)];
          const tree: Tree = { node: 'select', condition: compare('>=', a.tree, b.tree), then: down, else: up };
          return { tree, most: a.most > b.most ? a.most : b.most };
        },
      ],
      [
        10,
        () => {
          const [a, b] = [this.address(depth - 1), this.address(depth - 1)];
          return {
            tree: { node: 'select', condition: this.#parts.condition(depth), then: a.tree, else: b.tree },
            most: a.most > b.most ? a.most : b.most,
          };
        },
      ],
      [
        15,
        () => {
          const { tree, most } = this.count(depth - 1);
          return { tree: { node: 'cast', type: typeOf('addr'), operand: tree }, most };
        },
      ],
    ]);
  }

  #addressLeaf(): Bounded {
    const tree = this.#parts.operand(typeOf('addr'));
    return { tree, most: largestAddress[tree.slot] ?? 0n };
  }

  /**
   * A possible second operand for an address: an address, an integer that is not negative, or a
   * literal.
   */
  #addressOperand(depth: number): Bounded {
    const c = this.#choices;
    return c.weighted<Bounded>([
      [35, () => this.address(depth)],
      [40, () => this.count(depth)],
      [
        25,
        () => {
          const value = c.of([0, 1, 2, 4, 16, 4096, 3, 1 << 20]);
          // The only literal needs an operand with a type, so its neighbour is an address.
          return { tree: literal(value), most: BigInt(value) };
        },
      ],
    ]);
  }

  /** Makes an integer that is not negative. */
  count(depth: number): Bounded {
    const c = this.#choices;
    const kind = c.of<Kind>(['u8', 'u16', 'u32', 'i32', 'i64', 'u64']);
    const { signed, bits, max } = kinds[kind];
    if (!signed && bits <= 32) return { tree: this.#parts.scalar(kind, depth), most: max };
    const mask = (1n << BigInt(1 + c.below(30))) - 1n;
    return { tree: binary('&', this.#parts.scalar(kind, depth), literal(Number(mask))), most: mask };
  }
}
