import { typeName, type Diagnostic, type Span, type Type } from '@nccl-ts/ir';
import { error, oneOf } from './diagnostic.ts';
import { castOf } from './repairs.ts';

/** K20xx: types. */
export const typeReports = {
  mixedIntFloat(span: Span, left: string, right: string): Diagnostic {
    return error('K2001', span, {
      message: `integers and floats do not mix: ${left} and ${right}`,
      hint: `cast one side: ${left}(x) or ${right}(x)`,
    });
  },
  noCommonType(span: Span, left: string, right: string): Diagnostic {
    return error('K2002', span, {
      message: `${left} and ${right} have no common type`,
      hint: left.startsWith('ptr')
        ? 'p.cast(T) makes a pointer to another element type'
        : 'cast one side to the type that you mean',
    });
  },
  narrowing(span: Span, from: string, to: string): Diagnostic {
    return error('K2003', span, {
      message: `${from} is not converted to ${to} implicitly`,
      label: `this is ${from}`,
      hint: `if you mean to convert, cast it: ${to}(x)`,
      repair: /^\w+$/.test(to) && /^\w+$/.test(from) ? castOf(span, to) : undefined,
    });
  },
  literalFraction(span: Span, value: string, type: string): Diagnostic {
    const whole = /^[-\d]/.test(value) && !value.includes('Infinity');
    return error('K2004', span, {
      message: `${value} is not ${type.startsWith('i') ? 'an' : 'a'} ${type}`,
      hint: whole
        ? 'give a whole number, or cast the other side to a float: f32(x); i32(7) / 2 divides integers'
        : 'integers have no infinities and no NaN',
    });
  },
  literalRange(span: Span, value: string, type: string, range: string): Diagnostic {
    return error('K2005', span, { message: `${value} does not fit ${type}`, hint: `${type} holds ${range}` });
  },
  literalAlone(span: Span, value: string): Diagnostic {
    return error('K2006', span, {
      message: `cannot infer the type of ${value}`,
      hint: `give it one: f32(${value})`,
    });
  },
  condition(span: Span, type: string, kind: Type['kind']): Diagnostic {
    return error('K2007', span, {
      message: `${type} cannot be used as a condition`,
      label: 'neither bool nor a number',
      hint: conditionHints[kind],
    });
  },
  operand(span: Span, operator: string, type: string, kind: Type['kind'] = 'scalar'): Diagnostic {
    return error('K2008', span, {
      message: `\`${operator}\` is not defined for ${type}`,
      hint:
        kind === 'handle'
          ? 'you can pass it to functions, or read its members'
          : 'arithmetic is for numbers, and bitwise operators and shifts are for integers: cast the operand, for example u32(x)',
    });
  },
  pointerArithmetic(span: Span, operator: string): Diagnostic {
    return error('K2009', span, {
      message: `\`${operator}\` is not defined for pointers`,
      hint: 'write p.offset(n) or p[i]',
    });
  },
  comparison(span: Span, left: string, right: string): Diagnostic {
    return error('K2010', span, {
      message: `${left} and ${right} cannot be compared`,
      hint: 'numbers compare with numbers (for vectors, compare lane(v, 0)), and pointers with pointers into the same memory',
    });
  },
  index(span: Span, type: string): Diagnostic {
    return error('K2011', span, { message: `an index must be an integer, not ${type}`, hint: 'cast it: u32(x)' });
  },
  notIndexable(span: Span, what: string): Diagnostic {
    return error('K2012', span, {
      message: `${what} cannot be indexed`,
      hint: 'index a pointer; take vector elements with lane(v, i)',
    });
  },
  vectorType(span: Span, reason: string): Diagnostic {
    return error('K2013', span, {
      message: `no such vector: ${reason}`,
      hint: 'vec(f32, 4), vec(bf16, 8), vec(u8, 16): 16 bytes at most',
    });
  },
  cast(span: Span, from: Type, to: string): Diagnostic {
    const hint =
      from.kind === 'scalar' && to === 'addr' ? 'make it an integer first: addr(u64(x))' : castHints[from.kind];
    return error('K2014', span, { message: `${typeName(from)} cannot be cast to ${to}`, hint });
  },
  bitcastSize(span: Span, from: string, to: string): Diagnostic {
    return error('K2015', span, {
      message: `bitcast reinterprets bytes, but ${from} and ${to} differ in size`,
      hint: `use a type with as many bytes, or cast the value: ${to}(x)`,
    });
  },
  laneRange(span: Span, lane: number, width: number): Diagnostic {
    return error('K2016', span, {
      message: `element ${lane} of a vector of ${width}`,
      hint: `elements are 0 to ${width - 1}`,
    });
  },
  mathOperand(span: Span, name: string, type: string): Diagnostic {
    return error('K2017', span, { message: `${name} takes floats, not ${type}`, hint: 'cast it: f32(x)' });
  },
  atomicType(span: Span, op: string, type: string): Diagnostic {
    return error('K2018', span, {
      message: `${op} is not defined for ${type}`,
      hint: 'i32, u32, i64 and u64 have all atomics, f32 and f64 add and exchange; vectors are accessed plainly or relaxed',
    });
  },
  orderNotAllowed(span: Span, what: string, order: string, allowed: readonly string[]): Diagnostic {
    return error('K2019', span, { message: `${what} cannot be '${order}'`, hint: `allowed: ${oneOf(allowed)}` });
  },
  noValue(span: Span, what: string): Diagnostic {
    return error('K2020', span, {
      message: `${what} gives no value`,
      hint: 'return a value from it, or call it as a statement of its own',
    });
  },
  compileTimeOnly(span: Span, kind: string, what: string): Diagnostic {
    const absent = kind === 'absent';
    return error('K2021', span, {
      message: `${what} is not a value at run time`,
      label: absent ? '' : 'it is known only at compile time, so it cannot be stored or selected while the kernel runs',
      hint: compileTimeHints[kind] ?? 'choose between numbers, or use a condition that is a constant of `use`',
    });
  },
  variableType(span: Span, name: string, was: string, now: string): Diagnostic {
    return error('K2022', span, {
      message: `'${name}' is ${was} and cannot hold ${now}`,
      hint: 'a variable keeps the type of its first value: declare another variable',
    });
  },
  arrayLength(span: Span, given: string): Diagnostic {
    return error('K2023', span, {
      message: `an array must have a length of at least 1, not ${given}`,
      hint: 'the length is a constant',
    });
  },
  arrayElement(span: Span, type: string): Diagnostic {
    return error('K2024', span, {
      message: `memory cannot hold ${type}`,
      hint: type === 'bool' ? 'use u8 or u32' : 'use u64',
    });
  },
  arrayIndex(span: Span, index: string, length: number): Diagnostic {
    return error('K2025', span, {
      message: `element ${index} of an array of ${length}`,
      hint: `elements are 0 to ${length - 1}`,
    });
  },
  divisionByZero(span: Span): Diagnostic {
    return error('K2026', span, {
      message: 'integer division by zero',
      hint: 'for floats, division by zero gives an infinity: f32(x) / 0',
    });
  },
  literalOperation(span: Span, operator: string, left: string, right: string): Diagnostic {
    return error('K2027', span, {
      message: `\`${operator}\` of the literals ${left} and ${right} has no value`,
      hint: 'convert one side explicitly: i64(1)',
    });
  },
  shiftCount(span: Span, given: string): Diagnostic {
    return error('K2028', span, { message: `a shift count must be an integer, not ${given}`, hint: 'cast it: u32(x)' });
  },
  alignment(span: Span, given: number): Diagnostic {
    return error('K2029', span, {
      message: `an alignment must be a power of two up to 2^31, not ${given}`,
      hint: 'use the misalignment for 16-byte accesses: p.misalignment(16)',
    });
  },
  logicalUpdate(span: Span, name: string, operator: string, type: string): Diagnostic {
    const test = operator === '&&' ? name : `!${name}`;
    return error('K2030', span, {
      message: `\`${operator}\` gives a boolean, but '${name}' is ${type}`,
      label: `build tools write this as \`${name} ${operator}= ...\`, which keeps the number`,
      hint: `write if (${test}) ${name} = ..., or give the truth value a name of its own`,
    });
  },
};

const conditionHints: Readonly<Record<Type['kind'], string>> = {
  scalar: 'compare it with a value',
  vector: 'compare its elements: lane(v, 0) !== 0',
  pointer: 'nothing in a kernel is null: compare what it points at, p[0] !== 0',
  handle: 'no value in a kernel is null: compare with a number',
};

const castHints: Readonly<Record<Type['kind'], string>> = {
  scalar: 'bitcast(T, x) reinterprets the bytes',
  vector: 'take an element with lane(v, 0); vectors are cast to vectors of as many elements',
  pointer: 'an address is not a number: p.cast(T) makes a pointer to another element type',
  handle: 'a handle is not a number: use its members',
};

/** Suggestions for compile-time values, by kind. */
const compileTimeHints: Readonly<Record<string, string>> = {
  absent: 'pass a value, or ask first: x === undefined',
  word: 'strings are for orders, scopes and the labels of print',
  type: 'call it to cast: f32(x)',
  record: 'use its members one by one',
};
