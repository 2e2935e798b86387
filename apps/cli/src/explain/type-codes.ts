import type { KernelDiagnosticCode } from '@nccl-ts/ir';
import type { Explanation } from './explanation.ts';

type TypeCode = Extract<KernelDiagnosticCode, `K20${string}`>;

/** K20xx: types. */
export const typeCodes: Readonly<Record<TypeCode, Explanation>> = {
  K2001: {
    title: 'integers and floats do not mix',
    meaning: 'C++ would convert one side silently, and often the wrong one. In a kernel, you choose the side.',
    example: 'p[0] = x * n;',
    fix: 'Cast one side.',
    instead: 'p[0] = x * f32(n);',
  },
  K2002: {
    title: 'two types have no common type',
    meaning:
      'Both sides of an operator, or both values of a choice, need a common type. No type holds the values of both.',
    example: 'const a = f16(x) + bf16(x);\nprint(a);',
    fix: 'Cast one side to the type that you mean.',
    instead: 'const a = f32(f16(x)) + f32(bf16(x));\np[0] = a;',
  },
  K2003: {
    title: 'a value is not converted to this type implicitly',
    meaning: 'The target type does not hold every value of the given type.',
    example: 'p[0] = n;',
    fix: 'Cast it if you mean to convert.',
    instead: 'p[0] = f32(n);',
  },
  K2004: {
    title: 'a fraction or an infinity is used as an integer',
    meaning: 'An integer is needed here, and the literal is not one. In a kernel, dividing integers gives an integer.',
    example: 'q[0] = n + 0.5;',
    fix: 'Use a whole number, or cast the other side to a float.',
    instead: 'p[0] = f32(n) + 0.5;',
  },
  K2005: {
    title: 'a literal does not fit its type',
    meaning: 'The type has no such value. At run time, it would become another number.',
    example: 'const a = u8(300);\nprint(a);',
    fix: 'Use a wider type.',
    instead: 'const a = u32(300);\nq[0] = a;',
  },
  K2006: {
    title: 'cannot infer the type of a literal',
    meaning: 'A literal takes its type from its context. This context does not have one.',
    example: 'p[0] = math.sqrt(2);',
    fix: 'Give the literal a type.',
    instead: 'p[0] = math.sqrt(f32(2));',
  },
  K2007: {
    title: 'this is not a condition',
    meaning:
      'A condition is a boolean, or a number that is compared with 0. Vectors, pointers and handles are neither, and no value in a kernel is null.',
    example: 'if (p) p[0] = 1;',
    fix: 'Compare something.',
    instead: 'if (p[0] !== 0) p[0] = 1;',
  },
  K2008: {
    title: 'an operator is not defined for this type',
    meaning: 'Arithmetic operators are for numbers. Bitwise operators and shifts are for integers.',
    example: 'p[0] = x & 1;',
    fix: 'Cast the operand, or reinterpret its bits with bitcast.',
    instead: 'q[0] = u32(x) & 1;',
  },
  K2009: {
    title: 'an operator is not defined for pointers',
    meaning: 'Pointers are not numbers here: each keeps the bounds of its memory.',
    example: 'const a = p + n;\na[0] = 1;',
    fix: 'Write p.offset(n) or p[i].',
    instead: 'const a = p.offset(n);\na[0] = 1;',
  },
  K2010: {
    title: 'two values cannot be compared',
    meaning:
      'Numbers compare with numbers, and pointers with pointers into the same memory. Vectors cannot be compared as a whole.',
    example: 'if (v < v) p[0] = 1;',
    fix: 'Compare elements.',
    instead: 'if (lane(v, 0) < lane(v, 1)) p[0] = 1;',
  },
  K2011: {
    title: 'an index must be an integer',
    meaning: 'A float would have to be rounded, and no rounding is specified.',
    example: 'p[x] = 1;',
    fix: 'Cast it.',
    instead: 'p[u32(x)] = 1;',
  },
  K2012: {
    title: 'this cannot be indexed',
    meaning: "Only pointers and arrays can be indexed. A vector's elements are in registers: lane selects one.",
    example: 'p[0] = v[0];',
    fix: 'Select vector elements with lane.',
    instead: 'p[0] = lane(v, 0);',
  },
  K2013: {
    title: 'this vector type is not supported',
    meaning: 'A vector has 1, 2, 4, 8 or 16 elements, and at most 16 bytes, which a GPU accesses at once.',
    example: 'const a = vec(f64, 4)(1);',
    fix: 'Use a narrower vector, or several vectors.',
    instead: 'const a = vec(f64, 2)(1, 2);\nprint(lane(a, 0));',
  },
  K2014: {
    title: 'this cannot be cast to that type',
    meaning:
      'Casts convert numbers to numbers, and vectors to vectors with as many elements. Pointers and handles are not numbers.',
    example: 'p[0] = f32(v);',
    fix: 'Select an element with lane. For a pointer to another element type, use p.cast(T).',
    instead: 'p[0] = lane(v, 0);',
  },
  K2015: {
    title: 'bitcast keeps the bytes, but the sizes differ',
    meaning: 'bitcast reinterprets bytes as another type, so both types must have the same size.',
    example: 'const a = bitcast(u64, x);\nprint(a);',
    fix: 'Use a type of the same size, or cast the value.',
    instead: 'const a = bitcast(u32, x);\nq[0] = a;',
  },
  K2016: {
    title: 'an index is past the end of a vector',
    meaning: 'Elements count from 0.',
    example: 'p[0] = lane(v, 4);',
    fix: 'Use an index below the number of elements.',
    instead: 'p[0] = lane(v, 3);',
  },
  K2017: {
    title: 'this function takes floats',
    meaning:
      'Functions such as math.sqrt compute with floats. For an integer argument, you must choose the float type.',
    example: 'p[0] = math.sqrt(n);',
    fix: 'Cast the argument.',
    instead: 'p[0] = math.sqrt(f32(n));',
  },
  K2018: {
    title: 'an atomic or ordered access is not defined for this type',
    meaning:
      'GPUs have atomics for integers of 32 and 64 bits, and additions and exchanges of f32 and f64. Ordered accesses are for scalars.',
    example: 'bytes.atomicAdd(0, 1);',
    fix: 'Use a type that supports the access.',
    instead: "q.atomicAdd(0, 1, 'relaxed', 'device');",
  },
  K2019: {
    title: 'an access cannot have this order',
    meaning:
      'A load can acquire and a store can release, but not the other way round. An atomic read-modify-write can do both.',
    example: "q.load(0, 'release');",
    fix: 'Use an order that the report lists.',
    instead: "q.store(0, 1, 'release');",
  },
  K2020: {
    title: 'this has no value',
    meaning: 'The call is a statement: a fence, a store, or a function without a return.',
    example: "q[0] = fence('acquire');",
    fix: 'Call it as a statement of its own, or return a value from the function.',
    instead: "fence('acquire');\nq[0] = n;",
  },
  K2021: {
    title: 'this has no value at run time',
    meaning:
      'Strings, types, groups, records and options exist only at compile time. They cannot be stored, or selected while the kernel runs.',
    example: "q[0] = 'acquire';",
    fix: 'Choose between numbers, or use a condition that is a constant of `use`.',
    instead: 'q[0] = n;',
  },
  K2022: {
    title: 'a variable keeps the type of its first value',
    meaning: 'A variable is one register, or one local per member of a struct. Its first value decides the type.',
    example: 'let a = p;\na = n;',
    fix: 'Declare another variable.',
    instead: 'let a = n;\na = u32(x);\nq[0] = a;',
  },
  K2023: {
    title: 'an array must have a length of at least 1',
    meaning: 'An array without elements would have no memory.',
    example: 'const a = sharedArray(f32, 0);',
    fix: 'Give a length of 1 or more; a constant.',
    instead: 'const a = sharedArray(f32, 4);\na[0] = x;',
  },
  K2024: {
    title: 'memory cannot hold this type',
    meaning: 'Booleans and addresses have no layout that is the same on every backend.',
    example: 'const a = sharedArray(bool, 4);',
    fix: 'Use u8 or u32 for booleans, and u64 for addresses.',
    instead: 'const a = sharedArray(u32, 4);\na[0] = n;',
  },
  K2025: {
    title: 'an index is past the end of an array',
    meaning: 'The index is a constant outside the array.',
    example: 'const a = localArray(f32, 4);\na[4] = 1;',
    fix: 'Use an index from 0 to the length minus 1, or a longer array.',
    instead: 'const a = localArray(f32, 5);\na[4] = 1;',
  },
  K2026: {
    title: 'an integer is divided by zero',
    meaning: 'The divisor is the constant 0. On a GPU the result would be undefined.',
    example: 'q[0] = n / 0;',
    fix: 'Divide by another value. For floats, division by zero gives an infinity.',
    instead: 'p[0] = f32(n) / 0;',
  },
  K2027: {
    title: 'two literals cannot be combined',
    meaning: 'One literal is a bigint, which is an integer, and the other has a fraction.',
    example: 'q[0] = 1n + 0.5;',
    fix: 'Give one side a type.',
    instead: 'p[0] = f32(1) + 0.5;',
  },
  K2028: {
    title: 'a shift count must be an integer',
    meaning: 'A shift moves by a whole number of bits.',
    example: 'q[0] = n << x;',
    fix: 'Cast it.',
    instead: 'q[0] = n << u32(x);',
  },
  K2029: {
    title: 'an alignment must be a power of two',
    meaning:
      'p.misalignment(n) returns how many bytes an address is past a multiple of n. Accesses are aligned to powers of two.',
    example: 'q[0] = p.misalignment(12);',
    fix: 'Pass the alignment of the access: 16 for vectors of 16 bytes.',
    instead: 'q[0] = u32(p.misalignment(16));',
  },
  K2030: {
    title: '`&&` or `||` gives a boolean, but the variable is a number',
    meaning:
      'In a kernel, as in C++, `a || b` is true or false. JavaScript gives one of the two values instead, and build tools write `a = a || b` as `a ||= b`. So the text does not say which is meant.',
    example: 'A variable with the type u32 is updated by a = a || 3.',
    fix: 'Write if (!a) a = 3, or give the truth value a name of its own.',
  },
};
