import type { KernelDiagnosticCode } from '@nccl-ts/ir';
import type { Explanation } from './explanation.ts';

type TextCode = Extract<KernelDiagnosticCode, `K10${string}`>;

/** K10xx: the captured text is not that of a kernel. */
export const textCodes: Readonly<Record<TextCode, Explanation>> = {
  K1001: {
    title: 'the captured text does not parse',
    meaning:
      'A kernel is captured with fn.toString() and parsed. Here that text is not an expression that the parser reads. Most often a build tool has rewritten the function.',
    example: '({ f32 }, { p }) => {\n  p[0] = ;\n}',
    fix: 'Look at the text that the report quotes, and check what the build tool made of this function. Methods and getters cannot be kernels: pass an arrow function.',
    instead: '({ f32 }, { p }) => {\n  p[0] = f32(1);\n}',
  },
  K1002: {
    title: 'the captured text is not a plain function',
    meaning: 'A kernel is made of one arrow function. A class has a text too, but not that of a function.',
    example: 'class Wrong {}',
    fix: 'Pass an arrow function with two parameters: built-ins and arguments.',
    instead: '({}, { p, x }) => {\n  p[0] = x;\n}',
  },
  K1003: {
    title: 'a native or bound function has no text to capture',
    meaning:
      'JavaScript has no source text for built-in functions or for results of .bind(), so there is nothing to compile.',
    example: 'kernel({ name: "k", params: {} }, body.bind(undefined))',
    fix: 'Pass the arrow function itself.',
    instead: 'kernel({ name: "k", params: {} }, ({}, {}) => {})',
  },
  K1004: {
    title: 'the kernel is nested too deeply',
    meaning: 'Nesting of expressions and blocks has a limit, so that the compiler never runs out of stack.',
    example: 'A generated expression nests a thousand operators.',
    fix: 'Split the expression with const declarations.',
  },
  K1005: {
    title: 'a name is not defined inside the kernel',
    meaning:
      'The body of a kernel is never called as JavaScript: it is compiled, and runs on a GPU. So it can use only its two parameters, and no name of the surrounding module or its imports.',
    example: '({}, { q, n }) => {\n  q[n] = limit;\n}',
    fix: 'Pass constants and device functions through `use`, and take them from the first parameter. Take built-ins from there too. A plain function of the module becomes a deviceFn.',
    instead: '({ limit }, { q, n }) => {\n  q[n] = limit;\n}',
  },
  K1006: {
    title: 'a built-in that this function has not taken',
    meaning:
      'Built-ins such as threadIdx come through the first parameter. The function uses one that it did not take from there.',
    example: '({}, { p }) => {\n  p[threadIdx.x] = 1;\n}',
    fix: 'Add the name to the first parameter.',
    instead: '({ threadIdx }, { p }) => {\n  p[threadIdx.x] = 1;\n}',
  },
  K1007: {
    title: 'a coverage tool has rewritten the kernel',
    meaning:
      'Tools such as istanbul put counters into every function. The counters are host code, which a kernel cannot call.',
    example: '({}, { p }) => {\n  cov_1a2b().s[0]++;\n  p[0] = 1;\n}',
    fix: "Use a tool that leaves the text alone, such as v8 coverage (vitest: coverage.provider = 'v8'), or leave files with kernels out.",
    instead: '({}, { p }) => {\n  p[0] = 1;\n}',
  },
  K1008: {
    title: 'a name exists only on the host',
    meaning:
      'Math, console and other globals belong to JavaScript. Kernels have their own functions for the operations of a GPU.',
    example: 'p[0] = Math.sqrt(x);',
    fix: 'Use the built-in that the report names: math.sqrt, print, min, max.',
    instead: 'p[0] = math.sqrt(x);',
  },
  K1009: {
    title: 'a kernel cannot be async',
    meaning: 'GPU threads cannot await promises. They wait for memory, with barriers and flags.',
    example: 'async ({}, { p }) => {\n  p[0] = 1;\n}',
    fix: 'Write a plain arrow function. To wait for other threads or ranks use a barrier or waitUntil.',
    instead: '({}, { p }) => {\n  p[0] = 1;\n}',
  },
  K1010: {
    title: 'a kernel cannot be a generator',
    meaning: 'A kernel runs from its first line to its last. It cannot be suspended and resumed.',
    example: 'function* ({}, { p }) {\n  p[0] = 1;\n}',
    fix: 'Write a plain arrow function.',
    instead: '({}, { p }) => {\n  p[0] = 1;\n}',
  },
  K1011: {
    title: '`await` is not in the kernel language',
    meaning: 'Kernels have no promises. A kernel waits for memory with functions of the kernel language.',
    example: 'await (coopCta().sync());',
    fix: 'Leave `await` out: barriers and waitUntil return once they have waited.',
    instead: 'coopCta().sync();',
  },
  K1012: {
    title: '`switch` is not in the kernel language',
    meaning: 'The language has if, loops and returns, and no other control flow.',
    example: 'switch (n) {\n  case 1: p[0] = 1;\n}',
    fix: 'Write if / else if.',
    instead: 'if (n === 1) p[0] = 1;',
  },
  K1013: {
    title: 'kernels have no exceptions',
    meaning: 'A GPU thread cannot catch an exception.',
    example: 'if (n > 4) throw n;',
    fix: "To stop a faulty run, use assert(condition, 'text'). To tell the host, write a code to a window.",
    instead: "assert(n <= 4, 'n is 4 at most');",
  },
  K1014: {
    title: 'classes are not in the kernel language',
    meaning:
      'Values in a kernel are numbers, vectors, pointers and structs. Objects with state are sessions, and device packages define them.',
    example: 'class A {}',
    fix: 'Use variables and functions. In a device package, define stateful objects with deviceSession.',
    instead: 'const double = (a) => a * 2;\np[0] = double(x);',
  },
  K1015: {
    title: 'labels are not in the kernel language',
    meaning: 'A break or continue applies to the innermost loop.',
    example: 'outer: for (let i = 0; i < n; i++) p[i] = 1;',
    fix: 'Move the inner loop into a function and return from it.',
    instead: 'for (let i = 0; i < n; i++) p[i] = 1;',
  },
  K1016: {
    title: '`for (... in ...)` is not in the kernel language',
    meaning: 'Kernels have no objects with names to iterate over.',
    example: 'for (const key in p) p[0] = 1;',
    fix: 'Count.',
    instead: 'for (let i = 0; i < n; i++) p[i] = 1;',
  },
  K1017: {
    title: '`for (... of ...)` works only with unroll(n)',
    meaning:
      'Kernel memory has no length to iterate over, and there are no JavaScript arrays. `of` works only with unroll(n) and a constant n, which repeats the body at compile time.',
    example: 'for (const value of p) p[0] = 1;',
    fix: 'Count with an ordinary loop, or unroll with a constant.',
    instead: 'for (const i of unroll(4)) p[i] = 1;',
  },
  K1018: {
    title: '`with` is not in the kernel language',
    meaning: 'Names are resolved when the kernel is compiled.',
    example: 'with (comm) { p[0] = 1; }',
    fix: 'Name the object.',
    instead: 'p[comm.rank] = 1;',
  },
  K1019: {
    title: '`debugger` cannot stop in a kernel',
    meaning: 'A kernel is compiled, and never runs as JavaScript.',
    example: 'debugger;',
    fix: 'Print values, or set a breakpoint at the line. On the simulator, debuggers stop there.',
    instead: "print('x is', x);",
  },
  K1020: {
    title: '`using` is not in the kernel language',
    meaning: 'A session ends with its block, so no statement is needed to end it.',
    example: 'using bar = lsa.barrierSession(coopCta(), comm, 0);',
    fix: 'Write const.',
    instead: 'const bar = lsa.barrierSession(coopCta(), comm, 0);',
  },
  K1021: {
    title: '`new` is not in the kernel language',
    meaning: 'Nothing is allocated while a kernel runs. Plain calls create sessions, groups and arrays.',
    example: 'const a = new f32(4);',
    fix: 'Call it without `new`.',
    instead: 'const a = f32(4);\np[0] = a;',
  },
  K1022: {
    title: 'kernels do not support `this`',
    meaning: 'The body of a kernel is never called as a method.',
    example: 'p[0] = this.x;',
    fix: 'Take the value from one of the two parameters.',
    instead: 'p[0] = x;',
  },
  K1023: {
    title: 'strings cannot be built in a kernel',
    meaning: 'Strings are for orders, scopes and the labels of print. They do not exist while a kernel runs.',
    example: 'print(`n is ${n}`);',
    fix: 'Pass print several arguments.',
    instead: "print('n is', n);",
  },
  K1024: {
    title: 'regular expressions are not in the kernel language',
    meaning: 'Kernels compute with numbers and have no text to match. There is no text to match.',
    example: 'const r = /a/;',
    fix: 'Do this on the host, and pass a number.',
    instead: 'p[0] = x;',
  },
  K1025: {
    title: 'JavaScript arrays are not in the kernel language',
    meaning:
      'Kernel memory has an owner: a thread owns a local array, a CTA owns a shared array, and a vector is in registers.',
    example: 'const a = [1, 2];',
    fix: 'Use localArray, sharedArray or a vector.',
    instead: 'const a = localArray(f32, 2);\na[0] = 1;\na[1] = 2;',
  },
  K1026: {
    title: '`...` is not in the kernel language',
    meaning: 'The number of arguments of a call must be known when the kernel is compiled.',
    example: 'q[0] = min(...n);',
    fix: 'Name each argument.',
    instead: 'q[0] = min(n, 4);',
  },
  K1027: {
    title: '`?.` is not in the kernel language',
    meaning: 'No value in a kernel is null or undefined, so there is nothing to test.',
    example: 'p[comm?.rank] = 1;',
    fix: 'Write `.`.',
    instead: 'p[comm.rank] = 1;',
  },
  K1028: {
    title: 'an operator is not in the kernel language',
    meaning: 'The language has the operators of CUDA C++. It lacks operators for JavaScript types and for powers.',
    example: 'p[0] = x ** 2;',
    fix: 'Use the alternative in the report: for example, a product or math.pow instead of `**`, and a condition instead of `??` and `typeof`.',
    instead: 'p[0] = x * x;',
  },
  K1029: {
    title: '`>>>` is not in the kernel language',
    meaning:
      'In a kernel `>>` shifts by the type of its left operand: signed values keep their sign, unsigned ones get zeros.',
    example: 'q[0] = i >>> 1;',
    fix: 'Make the value unsigned and shift it with `>>`.',
    instead: 'q[0] = u32(i) >> 1;',
  },
  K1030: {
    title: 'default values are not in the kernel language',
    meaning: 'A launch passes every argument, and a call of a device function does too.',
    example: '({}, { p, n = 4 }) => {\n  p[0] = 1;\n}',
    fix: 'Pass the value at the call.',
    instead: '({}, { p, n }) => {\n  p[n] = 1;\n}',
  },
  K1031: {
    title: 'rest elements are not in the kernel language',
    meaning: 'Kernels have no argument lists at run time.',
    example: '({}, { p, ...rest }) => {\n  p[0] = 1;\n}',
    fix: 'Name each parameter or member.',
    instead: '({}, { p, n }) => {\n  p[n] = 1;\n}',
  },
  K1032: {
    title: 'kernels do not support this form of object literal',
    meaning:
      'Objects are for options and for your own thread groups. They have plain names with values or arrow functions. Computed names, getters and methods are not allowed.',
    example: "const o = { ['a']: 1 };",
    fix: 'Use plain names, or variables.',
    instead: 'const a = x;\np[0] = a;',
  },
  K1033: {
    title: 'this cannot be assigned to',
    meaning:
      'Variables declared with let and elements of memory can be assigned. Fields of handles and patterns cannot.',
    example: 'comm.rank = 1;',
    fix: 'Assign to a let variable or to p[i].',
    instead: 'let rank = comm.rank;\nrank = 1;\np[rank] = 1;',
  },
  K1034: {
    title: 'imports and meta properties are not in the kernel language',
    meaning: 'A kernel is compiled, with everything it uses, before it runs. It cannot load other modules.',
    example: "const m = import('x');",
    fix: 'Import at the top of the module, and pass it through `use`.',
    instead: 'q[0] = limit;',
  },
  K1035: {
    title: '`null` and `undefined` have no meaning here',
    meaning: 'Every value in a kernel has a type, and no type has an empty value.',
    example: 'const a = null;',
    fix: 'Omit optional arguments. For "no value", use a number that cannot occur.',
    instead: 'const a = i32(-1);\nprint(a);',
  },
  K1036: {
    title: 'access members by literal names',
    meaning: 'The name of a built-in or argument must be a compile-time constant.',
    example: "({ ['f32']: T }, { p }) => {\n  p[0] = T(1);\n}",
    fix: 'Write the name itself.',
    instead: '({ f32: T }, { p }) => {\n  p[0] = T(1);\n}',
  },
  K1037: {
    title: 'unroll(n) gives one number for each iteration',
    meaning: 'The head of such a loop declares one name, which is a constant in each iteration.',
    example: 'for (const { a } of unroll(4)) p[a] = 1;',
    fix: 'Declare one name.',
    instead: 'for (const i of unroll(4)) p[i] = 1;',
  },
};
