import {
  binary,
  compare,
  constant,
  convert,
  lane,
  logical,
  scalarType,
  select,
  vectorType,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';
import { add, and, count, equal, set, u32, variable, type Variable } from './build.ts';
import { mixed } from './opaque-values.ts';

/** A matrix in shared memory that an instruction of the tensor cores reads. */
export interface SharedMatrix {
  /** The 64 bits of its descriptor. */
  readonly descriptor: Expression;
  /** The rows of A, or the columns of B. */
  readonly rows: Expression;
  /** The bytes of a row that the instruction reads: 32, or 64 of the B of a sparse product. */
  readonly rowBytes: 16 | 32 | 64;
  /** True if the rows are the major dimension in memory (`MN-major`). */
  readonly isTransposed: Expression;
  /** The elements in 16 bytes. */
  readonly perPart: 4 | 8 | 16;
  /** The field of the descriptor that says how parts of lines are exchanged. */
  readonly swizzles: 'wgmma' | 'tcgen05';
}

/**
 * Makes the loads of all bytes of a matrix that its descriptor names, 16 at once. `sum` becomes a
 * function of the bytes.
 *
 * @see PTX ISA, "Shared Memory Matrix Layout" and "Matrix-descriptor"
 */
export function matrixLoads(lowering: Lowering, matrix: SharedMatrix, sum: Variable): readonly Statement[] {
  const { descriptor, rows, rowBytes, isTransposed } = matrix;
  const { span } = lowering;
  const kept: Statement[] = [];
  const keep = (name: string, value: Expression): Expression => {
    const id = variable(lowering, name, value.type);
    kept.push(set(lowering, id, value));
    return id.value;
  };
  const word = scalarType('u32');
  const low = keep('low', convert(word, descriptor));
  const high = keep('high', convert(word, binary('shr', descriptor, constant('u64', 32n))));
  const start = keep('start', field(low, 0));
  const leading = keep('leading', field(low, 16));
  const stride = keep('stride', field(high, 0));
  const bits = keep('bits', exchangedBits(high, matrix.swizzles));
  const mask = keep('mask', binary('sub', binary('shl', u32(1), bits), u32(1)));
  const isPlain = keep('plain', equal(bits, u32(0)));
  const perRow = u32(rowBytes / 16);
  // In a transposed matrix, a row of memory has the elements of one k.
  const groups = keep('groups', binary('div', rows, u32(matrix.perPart)));
  const all = keep('all', binary('mul', rows, perRow));
  const index = variable(lowering, 'part', word);
  const at = variable(lowering, 'at', word);
  const line = variable(lowering, 'line', vectorType('u32', 4));
  const shl = (value: Expression, by: Expression): Expression => binary('shl', value, by);
  const pitched = (row: Expression): Expression => shl(and(row, u32(7)), add(bits, u32(4)));
  const [row, part] = [binary('div', index.value, perRow), binary('rem', index.value, perRow)];
  const normal = [
    pitched(row),
    binary('mul', binary('shr', row, u32(3)), stride),
    binary('mul', part, select(isPlain, leading, u32(16))),
  ].reduce(add, start);
  const [group, k] = [binary('rem', index.value, groups), binary('div', index.value, groups)];
  const transposed = [
    shl(and(group, mask), u32(4)),
    binary('mul', binary('shr', group, bits), select(isPlain, stride, leading)),
    pitched(k),
    binary('mul', binary('shr', k, u32(3)), select(isPlain, leading, stride)),
  ].reduce(add, start);
  const exchanged = shl(and(binary('shr', at.value, u32(7)), mask), u32(4));
  const words = [0, 1, 2, 3].map((one) => lane(line.value, u32(one)));
  return [
    ...kept,
    set(lowering, index, u32(0)),
    count(lowering, index, all, [
      set(lowering, at, select(isTransposed, transposed, normal)),
      set(lowering, at, binary('xor', at.value, exchanged)),
      { kind: 'load', local: line.id, pointer: lowering.pointerAt('shared', at.value, vectorType('u32', 4)), span },
      set(lowering, sum, words.reduce(mixed, sum.value)),
    ]),
  ];
}

/** 14 bits of a descriptor from `from` on, which count 16 bytes. */
function field(word: Expression, from: number): Expression {
  const bits = from === 0 ? word : binary('shr', word, u32(from));
  return binary('shl', and(bits, u32(0x3fff)), u32(4));
}

/** 0 to 3: how many bits of the number of 16 bytes are exchanged. */
function exchangedBits(high: Expression, kind: SharedMatrix['swizzles']): Expression {
  if (kind === 'wgmma') {
    const mode = binary('shr', high, u32(30));
    return select(equal(mode, u32(0)), u32(0), binary('sub', u32(4), mode));
  }
  // 1 and 2 exchange 128 bytes, 4 exchanges 64, and 6 exchanges 32.
  const mode = binary('shr', high, u32(29));
  const is128 = logical('or', equal(mode, u32(1)), equal(mode, u32(2)));
  const smaller = select(compare('eq', mode, u32(4)), u32(2), select(equal(mode, u32(6)), u32(1), u32(0)));
  return select(is128, u32(3), smaller);
}
