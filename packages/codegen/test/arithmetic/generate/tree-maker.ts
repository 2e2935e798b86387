import type { ChoiceTree, LiteralTree, OperandTree, OperatorName, Tree } from '../language/tree.ts';
import { assignable, bytesOf, commonKind, isFp8, promote, promoteType, typeOf, type Type } from '../language/type.ts';
import { allKinds, kinds, type Kind } from '../reference/scalar.ts';
import { AddressMaker } from './address-maker.ts';
import type { Choices } from './choices.ts';
import { literal, literalFor } from './literals.ts';
import { slots } from './values.ts';
import {
  addressPairs,
  binary,
  bitCounts,
  call,
  compare,
  comparisons,
  compound,
  compoundOperators,
  computes,
  exactFunctions,
  floatOperators,
  integerOperators,
  isFloat,
  isInt,
  pairsOf,
  scalarTypes,
  select,
  shiftCounts,
  vectorTypes,
} from './vocabulary.ts';

/**
 * Makes random expressions that have a meaning and do not fault for any operands: divisors are not
 * zero, and indices of elements and sums of addresses stay in range. `focus` is the type of most
 * operands.
 */
export class TreeMaker {
  readonly #choices: Choices;
  readonly #focus: Type;
  readonly #addresses: AddressMaker;

  constructor(choices: Choices, focus: Type) {
    this.#choices = choices;
    this.#focus = focus;
    this.#addresses = new AddressMaker(choices, {
      scalar: (kind, depth) => this.#scalar(kind, depth),
      condition: (depth) => this.#condition(depth),
      operand: (type) => this.#operand(type),
    });
  }

  make(): Tree {
    const c = this.#choices;
    const depth = 1 + Math.max(c.below(5), c.below(5));
    return c.weighted<Tree>([
      [50, () => this.#tree(this.#focus, depth)],
      [25, () => this.#tree(computes(this.#focus) ? promoteType(this.#focus) : this.#focus, depth)],
      [10, () => this.#compound(depth)],
      [8, () => this.#tree(this.#focus.width === 1 ? typeOf('bool') : this.#vectorType(), depth)],
      [7, () => this.#tree(this.#anyType(), depth)],
    ]);
  }

  #tree(type: Type, depth: number): Tree {
    if (depth <= 0 || this.#choices.chance(8)) return this.#leaf(type);
    if (type.width > 1) return this.#vector(type, depth);
    switch (kinds[type.kind].class) {
      case 'bool':
        return this.#bool(depth);
      case 'addr':
        return this.#addresses.address(depth).tree;
      case 'int':
      case 'float':
        return promote(type.kind) === type.kind ? this.#number(type.kind, depth) : this.#stored(type.kind, depth);
    }
  }

  #scalar(kind: Kind, depth: number): Tree {
    return this.#tree(typeOf(kind), depth);
  }

  #leaf(type: Type): Tree {
    if (type === typeOf('u32') && this.#choices.chance(8)) return { node: 'thread' };
    return this.#operand(type);
  }

  #operand(type: Type): OperandTree {
    return { node: 'operand', type, slot: this.#choices.below(slots) };
  }

  #anyKind(): Kind {
    return this.#choices.chance(50) ? this.#focus.kind : this.#choices.of(allKinds);
  }

  #vectorType(): Type {
    return this.#focus.width > 1 && this.#choices.chance(60) ? this.#focus : this.#choices.of(vectorTypes);
  }

  #anyType(): Type {
    return this.#choices.chance(70) ? this.#choices.of(scalarTypes) : this.#vectorType();
  }

  /** Chooses two kinds whose common kind is `kind`, with the focus among them if possible. */
  #pair(kind: Kind): readonly [Kind, Kind] {
    const pairs = kind === 'addr' ? addressPairs : (pairsOf.get(kind) ?? []);
    const focused = pairs.filter((pair) => pair.includes(this.#focus.kind));
    if (this.#choices.chance(35)) return [kind, kind];
    return this.#choices.of(focused.length > 0 && this.#choices.chance(75) ? focused : pairs);
  }

  /** Chooses a kind that is promoted to `kind`. */
  #promotedTo(kind: Kind): Kind {
    // A boolean combined with a literal is again a literal, which is a separate case.
    const found = allKinds.filter((from) => promote(from) === kind && from !== 'bool');
    return found.includes(this.#focus.kind) && this.#choices.chance(60) ? this.#focus.kind : this.#choices.of(found);
  }

  #countable(kind: Kind): Kind {
    return kind === 'i32' && this.#choices.chance(10) ? 'bool' : this.#promotedTo(kind);
  }

  /** i32, u32, i64, u64, f16, bf16, f32 or f64: the result types of arithmetic. */
  #number(kind: Kind, depth: number): Tree {
    const c = this.#choices;
    const float = isFloat(kind);
    const any = (): Tree => this.#scalar(this.#promotedTo(kind), depth - 1);
    return c.weighted<Tree>([
      [
        30,
        () => {
          const [a, b] = this.#pair(kind);
          return binary(
            c.of(float ? floatOperators : integerOperators),
            this.#scalar(a, depth - 1),
            this.#scalar(b, depth - 1),
          );
        },
      ],
      [15, () => this.#withLiteral(kind, c.of(float ? floatOperators : integerOperators), any())],
      [8, () => ({ node: 'unary', op: c.of(float ? ['-', '-', '+'] : ['-', '~', '+']), operand: any() })],
      [
        8,
        () => {
          const [a, b] = this.#pair(kind);
          return call(c.of(['min', 'max']), this.#scalar(a, depth - 1), this.#scalar(b, depth - 1));
        },
      ],
      [3, () => call(c.of(['min', 'max']), any(), literalFor(c, kind))],
      [4, () => call('abs', this.#scalar(this.#countable(kind), depth - 1))],
      [12, () => this.#cast(typeOf(kind), depth)],
      [8, () => this.#select(typeOf(kind), depth)],
      [5, () => this.#bitcast(typeOf(kind), depth)],
      [4, () => this.#lane(kind, depth)],
      ...(float ? this.#onlyFloat(kind, depth) : this.#onlyInteger(kind, depth)),
    ]);
  }

  #onlyFloat(kind: Kind, depth: number): (readonly [number, () => Tree])[] {
    const c = this.#choices;
    return [
      [12, () => this.#fma(typeOf(kind), depth)],
      [10, () => call(c.of(exactFunctions), this.#scalar(kind, depth - 1))],
    ];
  }

  #onlyInteger(kind: Kind, depth: number): (readonly [number, () => Tree])[] {
    const c = this.#choices;
    return [
      [10, () => this.#shift(kind, depth)],
      [12, () => this.#division(kind, depth)],
      [7, () => call(c.of(bitCounts), this.#scalar(this.#countable(kind), depth - 1))],
    ];
  }

  #withLiteral(kind: Kind, op: OperatorName, other: Tree): Tree {
    const c = this.#choices;
    const one = c.chance(10) ? this.#choice(typeOf(kind), 0) : literalFor(c, kind);
    return c.chance(60) ? binary(op, other, one) : binary(op, one, other);
  }

  #choice(type: Type, depth: number): ChoiceTree {
    const c = this.#choices;
    return {
      node: 'choice',
      condition: this.#condition(depth),
      then: literalFor(c, type.kind),
      else: literalFor(c, type.kind),
    };
  }

  #condition(depth: number): Tree {
    if (this.#choices.chance(75)) return this.#scalar('bool', depth - 1);
    return this.#scalar(this.#anyKind(), depth - 2);
  }

  #shift(kind: Kind, depth: number): Tree {
    const c = this.#choices;
    const left =
      kind === 'i32' && c.chance(15) ? literalFor(c, 'i32') : this.#scalar(this.#promotedTo(kind), depth - 1);
    // A literal combined with a boolean is again a literal.
    const counts = left.node === 'literal' ? shiftCounts.filter((of) => of !== 'bool') : shiftCounts;
    const count =
      c.chance(30) && left.node !== 'literal' ? literal(c.below(70) - 3) : this.#scalar(c.of(counts), depth - 2);
    return binary(c.of(['<<', '>>']), left, count);
  }

  /**
   * Makes a divisor that is not zero. If the smallest value could be divided by -1, it excludes one
   * of the two values.
   */
  #division(kind: Kind, depth: number): Tree {
    const c = this.#choices;
    const op = c.of<OperatorName>(['/', '%']);
    const [a, b] = this.#pair(kind);
    const info = kinds[kind];
    const dividend = this.#scalar(a, depth - 1);
    const overflows = info.signed && isInt(a) && kinds[a].bits === info.bits;
    const small = this.#scalar(b, c.chance(70) ? 0 : 1);
    const isZero = compare('==', small, literal(0));
    const or = (test: Tree): Tree => select(test, literal(1), small);
    return c.weighted<Tree>([
      [30, () => binary(op, this.#scalar(this.#promotedTo(kind), depth - 1), this.#divisor(kind))],
      [20, () => binary(op, overflows ? binary('>>', dividend, literal(1)) : dividend, binary('|', small, literal(1)))],
      [
        30,
        () => {
          if (!overflows) return binary(op, dividend, or(isZero));
          return binary(
            op,
            dividend,
            or({ node: 'logical', op: '||', left: isZero, right: compare('==', small, literal(-1)) }),
          );
        },
      ],
      [
        20,
        () => {
          const plain = this.#scalar(kind, c.below(2));
          const least = compare('==', plain, literal(info.min));
          return binary(op, select(least, literal(5), plain), or(isZero));
        },
      ],
    ]);
  }

  #divisor(kind: Kind): LiteralTree {
    const found = literalFor(this.#choices, kind);
    const value = BigInt(found.value);
    // -2^N is 0 in an unsigned type.
    return value === 0n || value === -1n || value === -kinds[kind].max - 1n ? literal(3) : found;
  }

  #fma(type: Type, depth: number): Tree {
    const c = this.#choices;
    const others = allKinds.filter((kind) => assignable(kind, type.kind) && isFloat(kind));
    const other = (): Tree => {
      if (c.chance(20)) return literalFor(c, type.kind);
      return type.width === 1 && c.chance(30) ? this.#scalar(c.of(others), depth - 1) : this.#tree(type, depth - 1);
    };
    const first = this.#tree(type, depth - 1);
    return c.chance(15) ? call('fma', literalFor(c, type.kind), first, other()) : call('fma', first, other(), other());
  }

  #cast(type: Type, depth: number): Tree {
    const c = this.#choices;
    if (type.width > 1) {
      const same = vectorTypes.filter((from) => from.width === type.width && from !== type);
      if (c.chance(70)) return { node: 'cast', type, operand: this.#tree(c.of(same), depth - 1) };
      return {
        node: 'cast',
        type,
        operand: c.chance(20) ? literalFor(c, type.kind) : this.#scalar(this.#castable(type.kind), depth - 1),
      };
    }
    if (c.chance(6))
      return { node: 'cast', type, operand: c.chance(70) ? literalFor(c, type.kind) : this.#choice(type, depth - 1) };
    return { node: 'cast', type, operand: this.#scalar(this.#castable(type.kind), depth - 1) };
  }

  /** Chooses a kind that can be cast to `to` and never faults. */
  #castable(to: Kind): Kind {
    const from = this.#anyKind();
    return to === 'addr' ? this.#choices.of<Kind>(['u8', 'u16', 'u32', 'bool', 'addr']) : from;
  }

  #select(type: Type, depth: number): Tree {
    const c = this.#choices;
    const condition = this.#condition(depth);
    const own = (): Tree => this.#tree(type, depth - 1);
    if (c.chance(20)) {
      const [a, b] = [literalFor(c, type.kind), own()];
      return c.chance(50) ? select(condition, a, b) : select(condition, b, a);
    }
    const mixed = type.width === 1 ? (pairsOf.get(type.kind) ?? []).filter(([a, b]) => a !== b) : [];
    if (mixed.length > 0 && c.chance(40)) {
      const [a, b] = c.of(mixed);
      return select(condition, this.#scalar(a, depth - 1), this.#scalar(b, depth - 1));
    }
    return select(condition, own(), own());
  }

  #bitcast(type: Type, depth: number): Tree {
    const others = [...scalarTypes, ...vectorTypes].filter(
      (from) => from !== type && bytesOf(from) === bytesOf(type) && from.kind !== 'bool' && from.kind !== 'addr',
    );
    if (others.length === 0) return this.#leaf(type);
    return { node: 'bitcast', type, operand: this.#tree(this.#choices.of(others), depth - 1) };
  }

  #lane(kind: Kind, depth: number): Tree {
    const types = vectorTypes.filter((type) => type.kind === kind);
    const type = this.#focus.kind === kind && this.#focus.width > 1 ? this.#focus : this.#choices.of(types);
    return { node: 'lane', vector: this.#tree(type, depth - 1), index: this.#index(type.width) };
  }

  #index(width: number): Tree {
    const c = this.#choices;
    return c.weighted<Tree>([
      [50, () => literal(c.below(width))],
      [30, () => binary('&', this.#scalar(c.of(['u32', 'u8', 'i32', 'i16']), c.below(2)), literal(width - 1))],
      [20, () => binary('%', this.#scalar('u32', c.below(2)), literal(width))],
    ]);
  }

  /** Chooses a type that is only for storage: a small integer or FP8. */
  #stored(kind: Kind, depth: number): Tree {
    const c = this.#choices;
    return c.weighted<Tree>([
      [50, () => this.#cast(typeOf(kind), depth)],
      [20, () => select(this.#condition(depth), this.#scalar(kind, depth - 1), this.#scalar(kind, depth - 1))],
      [10, () => select(this.#condition(depth), this.#scalar(kind, depth - 1), literalFor(c, kind))],
      [12, () => this.#bitcast(typeOf(kind), depth)],
      [8, () => this.#lane(kind, depth)],
    ]);
  }

  #bool(depth: number): Tree {
    const c = this.#choices;
    return c.weighted<Tree>([
      [
        45,
        () => {
          const kind = promote(this.#anyKind());
          const [a, b] = this.#pair(kind);
          return compare(c.of(comparisons), this.#scalar(a, depth - 1), this.#scalar(b, depth - 1));
        },
      ],
      [
        10,
        () => {
          const kind = this.#anyKind();
          const [a, b] = [this.#scalar(kind, depth - 1), literalFor(c, promote(kind))];
          return c.chance(70) ? compare(c.of(comparisons), a, b) : compare(c.of(comparisons), b, a);
        },
      ],
      [
        12,
        () => ({
          node: 'logical',
          op: c.of(['&&', '||']),
          left: this.#condition(depth),
          right: this.#condition(depth),
        }),
      ],
      [8, () => ({ node: 'unary', op: '!', operand: this.#condition(depth) })],
      [6, () => compare(c.of(comparisons), this.#scalar('bool', depth - 1), this.#scalar('bool', depth - 1))],
      [8, () => this.#cast(typeOf('bool'), depth)],
      [8, () => this.#select(typeOf('bool'), depth)],
    ]);
  }

  #vector(type: Type, depth: number): Tree {
    const c = this.#choices;
    const { kind } = type;
    const element = typeOf(kind);
    const wide = isFp8(kind) ? undefined : this.#elementwise(type, depth);
    const elements = (): Tree => ({
      node: 'vector',
      type,
      elements: Array.from({ length: type.width }, () =>
        c.chance(15) ? literalFor(c, kind) : this.#element(kind, type.width > 4 ? 0 : depth - 2),
      ),
    });
    return c.weighted<Tree>([
      ...(wide === undefined ? [] : [[65, wide] as const]),
      [12, () => this.#cast(type, depth)],
      [8, () => this.#select(type, depth)],
      [6, () => this.#bitcast(type, depth)],
      [4, elements],
      [
        6,
        () => ({
          node: 'withLane',
          vector: this.#tree(type, depth - 1),
          index: this.#index(type.width),
          value: this.#tree(element, depth - 2),
        }),
      ],
    ]);
  }

  /** Makes a value that is assigned to `kind` without a cast. */
  #element(kind: Kind, depth: number): Tree {
    if (this.#choices.chance(70)) return this.#scalar(kind, depth);
    return this.#scalar(this.#choices.of(allKinds.filter((from) => assignable(from, kind) && from !== 'addr')), depth);
  }

  /** Operators on vectors of types other than FP8. */
  #elementwise(type: Type, depth: number): () => Tree {
    const c = this.#choices;
    const { kind } = type;
    const float = isFloat(kind);
    const operators = float ? floatOperators : integerOperators;
    const own = (): Tree => this.#tree(type, depth - 1);
    const fp8 = kind === 'f16' ? vectorTypes.filter(({ kind: of, width }) => isFp8(of) && width === type.width) : [];
    return () =>
      c.weighted<Tree>([
        [30, () => binary(c.of(operators), own(), own())],
        [
          10,
          () => {
            const [a, b] = [own(), this.#scalar(kind, depth - 1)];
            return c.chance(50) ? binary(c.of(operators), a, b) : binary(c.of(operators), b, a);
          },
        ],
        [12, () => this.#withLiteral(kind, c.of(operators), own())],
        [8, () => ({ node: 'unary', op: c.of(float ? ['-', '+'] : ['-', '~']), operand: own() })],
        [8, () => call(c.of(['min', 'max']), own(), own())],
        [3, () => call(c.of(['min', 'max']), own(), literalFor(c, kind))],
        [4, () => call('abs', own())],
        ...(fp8.length === 0
          ? []
          : [
              [
                15,
                () => {
                  const from = c.of(fp8);
                  const right = c.chance(30)
                    ? literalFor(c, 'f16')
                    : this.#tree(c.chance(70) ? from : typeOf(from.kind), depth - 1);
                  return binary(c.of(operators), this.#tree(from, depth - 1), right);
                },
              ] as const,
            ]),
        ...(float
          ? [[10, () => this.#fma(type, depth)] as const, [8, () => call(c.of(exactFunctions), own())] as const]
          : [
              [10, () => this.#vectorShift(type, depth)] as const,
              [12, () => this.#vectorDivision(type, depth)] as const,
              [7, () => call(c.of(bitCounts), own())] as const,
            ]),
      ]);
  }

  #vectorShift(type: Type, depth: number): Tree {
    const c = this.#choices;
    const count = c.weighted<Tree>([
      [40, () => literal(c.below(20) - 2)],
      [30, () => this.#scalar(c.of(shiftCounts), depth - 2)],
      [30, () => this.#tree(type, depth - 1)],
    ]);
    return binary(c.of(['<<', '>>']), this.#tree(type, depth - 1), count);
  }

  #vectorDivision(type: Type, depth: number): Tree {
    const c = this.#choices;
    const op = c.of<OperatorName>(['/', '%']);
    const dividend = this.#tree(type, depth - 1);
    if (c.chance(40)) return binary(op, dividend, this.#divisor(type.kind));
    const divisor = binary('|', this.#tree(type, depth - 1), literal(1));
    return binary(op, kinds[type.kind].signed ? binary('>>', dividend, literal(1)) : dividend, divisor);
  }

  #compound(depth: number): Tree {
    const c = this.#choices;
    const type = this.#focus;
    if (!computes(type)) return this.#tree(type, depth);
    const left = this.#operand(type);
    const computed = promoteType(type).kind;
    const ops = isFloat(computed) ? floatOperators : computed === 'addr' ? (['+'] as const) : compoundOperators;
    const op = c.of<OperatorName>(ops);
    if (type.kind === 'addr')
      return compound(op, { ...left, slot: 1 + c.below(3) }, this.#addresses.count(depth - 1).tree);
    const literals = type.kind !== 'bool';
    if (!isFloat(computed) && literals && c.chance(15))
      return compound(c.of(['/', '%']), left, this.#divisor(computed));
    if (op === '<<' || op === '>>') {
      return compound(
        op,
        left,
        literals && c.chance(30) ? literal(c.below(40)) : this.#scalar(c.of(shiftCounts), depth - 1),
      );
    }
    if (literals && c.chance(25)) return compound(op, left, literalFor(c, computed));
    if (type.width > 1) return compound(op, left, this.#tree(c.chance(70) ? type : typeOf(type.kind), depth - 1));
    const fitting = allKinds.filter(
      (kind) => kind !== 'addr' && assignable(kind, type.kind) && commonKind(kind, type.kind) !== undefined,
    );
    return compound(op, left, this.#scalar(c.chance(60) ? type.kind : c.of(fitting), depth - 1));
  }
}
