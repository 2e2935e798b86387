import type { KernelDiagnosticCode } from '@nccl-ts/ir';
import type { Explanation } from './explanation.ts';

type TypeCode = Extract<KernelDiagnosticCode, `K20${string}`>;

/** K20xx: types. */
export const typeCodes: Readonly<Record<TypeCode, Explanation>> = {
  K2001: {
    title: 'integers and floats do not mix',
    meaning: 'C++ would convert one side silently, and often not the intended one. In a kernel you choose the side.',
    example: 'p[0] = x * n;',
    fix: 'Cast one side.',
    instead: 'p[0] = x * f32(n);',
  },
  K2002: {
    title: 'two types have no common type',
    meaning:
      'Both sides of an operator, or both values of a choice, need one type. These two have no common type that holds the values of both.',
    example: 'const a = f16(x) + bf16(x);\nprint(a);',
    fix: 'Cast one side to the type that is meant.',
    instead: 'const a = f32(f16(x)) + f32(bf16(x));\np[0] = a;',
  },
  K2003: {
    title: 'a value is not converted to this type implicitly',
    meaning: "The target's type does not hold every value of the given type.",
    example: 'p[0] = n;',
    fix: 'Cast where that is meant.',
    instead: 'p[0] = f32(n);',
  },
  K2004: {
    title: 'a fraction or an infinity as an integer',
    meaning: 'The literal is used as an integer. In a kernel, a division of integers gives an integer.',
    example: 'q[0] = n + 0.5;',
    fix: 'Use a whole number, or cast the other side to a float.',
    instead: 'p[0] = f32(n) + 0.5;',
  },
  K2005: {
    title: 'a literal does not fit its type',
    meaning: 'The type has no such value. At run time it would be another number.',
    example: 'const a = u8(300);\nprint(a);',
    fix: 'Use a wider type.',
    instead: 'const a = u32(300);\nq[0] = a;',
  },
  K2006: {
    title: 'cannot infer the type of a literal',
    meaning: 'A literal takes its type from its context. This context has no type.',
    example: 'p[0] = math.sqrt(2);',
    fix: 'Give it a type.',
    instead: 'p[0] = math.sqrt(f32(2));',
  },
  K2007: {
    title: 'this is no condition',
    meaning:
      'A condition is a truth value, or a number that is compared with 0. Vectors, pointers and handles are neither, and no value in a kernel is null.',
    example: 'if (p) p[0] = 1;',
    fix: 'Compare something.',
    instead: 'if (p[0] !== 0) p[0] = 1;',
  },
  K2008: {
    title: 'an operator is not defined for this type',
    meaning: 'Arithmetic is for numbers. Bits and shifts are for integers.',
    example: 'p[0] = x & 1;',
    fix: 'Cast the operand, or keep its bits with bitcast.',
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
      'Numbers compare with numbers, and pointers with pointers into the same memory. Vectors do not compare as a whole.',
    example: 'if (v < v) p[0] = 1;',
    fix: 'Compare elements.',
    instead: 'if (lane(v, 0) < lane(v, 1)) p[0] = 1;',
  },
  K2011: {
    title: 'an index is an integer',
    meaning: 'A float would have to be rounded, and the rounding is not specified.',
    example: 'p[x] = 1;',
    fix: 'Cast it.',
    instead: 'p[u32(x)] = 1;',
  },
  K2012: {
    title: 'this cannot be indexed',
    meaning: 'Pointers and arrays are indexed. The elements of a vector lie in registers and are taken by lane.',
    example: 'p[0] = v[0];',
    fix: 'Take vector elements with lane.',
    instead: 'p[0] = lane(v, 0);',
  },
  K2013: {
    title: 'an unsupported vector type',
    meaning: 'A vector has 1, 2, 4, 8 or 16 elements and at most 16 bytes, the size of one access of a GPU.',
    example: 'const a = vec(f64, 4)(1);',
    fix: 'Use a narrower vector, or several.',
    instead: 'const a = vec(f64, 2)(1, 2);\nprint(lane(a, 0));',
  },
  K2014: {
    title: 'this cannot be cast to that type',
    meaning:
      'Casts convert numbers to numbers, and vectors to vectors of as many elements. Pointers and handles are not numbers.',
    example: 'p[0] = f32(v);',
    fix: 'Take an element with lane. p.cast(T) makes a pointer to another element type.',
    instead: 'p[0] = lane(v, 0);',
  },
  K2015: {
    title: 'bitcast keeps the bytes, but the sizes differ',
    meaning: 'bitcast reads the same bytes as another type, so both types have as many bytes.',
    example: 'const a = bitcast(u64, x);\nprint(a);',
    fix: 'Use a type of the same size, or cast the value.',
    instead: 'const a = bitcast(u32, x);\nq[0] = a;',
  },
  K2016: {
    title: 'an element past the end of a vector',
    meaning: 'Elements count from 0.',
    example: 'p[0] = lane(v, 4);',
    fix: 'Use an index below the width.',
    instead: 'p[0] = lane(v, 3);',
  },
  K2017: {
    title: 'this function takes floats',
    meaning: 'Functions such as math.sqrt compute with floats. For an integer you must choose the float type.',
    example: 'p[0] = math.sqrt(n);',
    fix: 'Cast the argument.',
    instead: 'p[0] = math.sqrt(f32(n));',
  },
  K2018: {
    title: 'an atomic or ordered access is not defined for this type',
    meaning:
      'GPUs have atomics for integers of 32 and 64 bits, and additions and exchanges of f32 and f64. Ordered accesses are for scalars.',
    example: 'bytes.atomicAdd(0, 1);',
    fix: 'Use a type that has it.',
    instead: "q.atomicAdd(0, 1, 'relaxed', 'device');",
  },
  K2019: {
    title: 'an access cannot have this order',
    meaning:
      'A load can acquire and a store can release, and not the other way round. An atomic read-modify-write can do both.',
    example: "q.load(0, 'release');",
    fix: 'Use an order that the report names.',
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
    title: 'this is not a value at run time',
    meaning:
      'Strings, types, groups, records and options exist only in the compiler. They cannot be stored, or selected while the kernel runs.',
    example: "q[0] = 'acquire';",
    fix: 'Choose between numbers, or by a condition that is a constant of `use`.',
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
    title: 'an array has a length of at least 1',
    meaning: 'An array without elements has no memory.',
    example: 'const a = sharedArray(f32, 0);',
    fix: 'Give a length of 1 or more; a constant.',
    instead: 'const a = sharedArray(f32, 4);\na[0] = x;',
  },
  K2024: {
    title: 'memory does not hold this type',
    meaning: 'Truth values and addresses have no layout that is the same on every backend.',
    example: 'const a = sharedArray(bool, 4);',
    fix: 'Use u8 or u32 for truth values, and u64 for addresses.',
    instead: 'const a = sharedArray(u32, 4);\na[0] = n;',
  },
  K2025: {
    title: 'an element past the end of an array',
    meaning: 'The index is a constant outside of the array.',
    example: 'const a = localArray(f32, 4);\na[4] = 1;',
    fix: 'Use an index from 0 to the length less 1, or a longer array.',
    instead: 'const a = localArray(f32, 5);\na[4] = 1;',
  },
  K2026: {
    title: 'an integer is divided by zero',
    meaning: 'The divisor is the constant 0. On a GPU the result would be undefined.',
    example: 'q[0] = n / 0;',
    fix: 'Divide by something else. A float divided by zero is an infinity.',
    instead: 'p[0] = f32(n) / 0;',
  },
  K2027: {
    title: 'two literals have no result together',
    meaning: 'A bigint literal is an integer, and the other literal has a fraction.',
    example: 'q[0] = 1n + 0.5;',
    fix: 'Give one side a type.',
    instead: 'p[0] = f32(1) + 0.5;',
  },
  K2028: {
    title: 'a shift count is an integer',
    meaning: 'A shift moves by a whole number of bits.',
    example: 'q[0] = n << x;',
    fix: 'Cast it.',
    instead: 'q[0] = n << u32(x);',
  },
  K2029: {
    title: 'an alignment is a power of two',
    meaning:
      'p.misalignment(n) returns the number of bytes by which an address is past a multiple of n. Accesses are aligned to powers of two.',
    example: 'q[0] = p.misalignment(12);',
    fix: 'Ask for the alignment of the access: 16 for vectors of 16 bytes.',
    instead: 'q[0] = u32(p.misalignment(16));',
  },
  K2030: {
    title: '`&&` or `||` gives a truth value, but the variable is a number',
    meaning:
      'In a kernel, as in C++, `a || b` is true or false. JavaScript gives one of the two values instead, and build tools write `a = a || b` as `a ||= b`. So the text does not say which is meant.',
    example: 'A variable with the type u32 is updated by a = a || 3.',
    fix: 'Write if (!a) a = 3, or give the truth value a name of its own.',
  },
};
