import type { KernelDiagnosticCode } from '@nccl-ts/ir';
import type { Explanation } from './explanation.ts';

type CallCode = Extract<KernelDiagnosticCode, `K11${string}`>;

/** K11xx: names, calls, variables. */
export const callCodes: Readonly<Record<CallCode, Explanation>> = {
  K1101: {
    title: 'no such member',
    meaning:
      'The pointer, handle, module or number has no such member. The report lists its members, or suggests the closest name.',
    example: 'p[threadIdx.w] = 1;',
    fix: 'Use one of the members that the report names.',
    instead: 'p[threadIdx.x] = 1;',
  },
  K1102: {
    title: 'this cannot be called',
    meaning:
      'You can call built-ins, device functions passed through `use`, and arrow functions. Numbers, pointers and handles are not functions.',
    example: 'p[0] = n();',
    fix: 'Leave the parentheses out, or call a function.',
    instead: 'q[0] = n;',
  },
  K1103: {
    title: 'a call has too many or too few arguments',
    meaning: 'The function takes another number of arguments. The report shows how it is called.',
    example: 'q[0] = shfl(n);',
    fix: 'Pass the arguments that the report lists.',
    instead: 'q[0] = shfl(n, 0);',
  },
  K1104: {
    title: 'an argument has the wrong kind',
    meaning:
      'The parameter takes a pointer, a group, a type, or a number of a certain kind, and the argument is something else.',
    example: 'p[0] = lane(x, 0);',
    fix: 'Pass an argument of the kind in the report.',
    instead: 'p[0] = lane(v, 0);',
  },
  K1105: {
    title: 'unknown word',
    meaning: 'Memory orders, scopes and similar choices are strings. The parameter does not accept this string.',
    example: "fence('acq_rel', 'gpu');",
    fix: "Use one of the strings that the report lists. CUDA's scopes gpu, sys and cta are 'device', 'system' and 'block' here.",
    instead: "fence('acq_rel', 'device');",
  },
  K1106: {
    title: 'unknown option',
    meaning: 'The function takes options by name, and none has this name.',
    example: 'kernel: put(comm, order, { with: 4 }), where the option is called width',
    fix: 'Use one of the options that the report lists.',
  },
  K1107: {
    title: '`use` cannot pass this',
    meaning:
      'Values of `use` become part of the kernel: numbers, booleans, strings, types, device functions and device modules. Plain functions and host objects cannot.',
    example: 'kernel({ name: "k", use: { helper: (a) => a * 2 }, params: { p: ptr(f32) } }, ...)',
    fix: 'Make a device function of a plain function. Pass members of an object one by one.',
    instead:
      'kernel({ name: "k", use: { helper: deviceFn({ name: "helper" }, ({}, a) => a * 2) }, params: { p: ptr(f32) } }, ...)',
  },
  K1108: {
    title: '`use` names a built-in',
    meaning:
      'The first parameter holds built-ins and the values of `use` side by side, so two of them cannot share a name.',
    example: 'kernel({ name: "k", use: { min: 4 }, params: {} }, ...)',
    fix: 'Pass it under another name.',
    instead: 'kernel({ name: "k", use: { least: 4 }, params: {} }, ...)',
  },
  K1109: {
    title: 'a parameter has a type that kernels do not support',
    meaning:
      'A value of `params` is not a type that kernels support: scalars, vectors, pointers, windows, device communicators and structs of these.',
    example: 'kernel({ name: "k", params: { size: 4 } }, ...)',
    fix: 'Give the type, and pass the value at the launch; or pass a constant through `use`.',
    instead: 'kernel({ name: "k", params: { size: u32 } }, ...)',
  },
  K1110: {
    title: 'a function calls itself',
    meaning: 'Functions are inlined where they are called, so a recursive one would never end.',
    example: 'const f = (a) => f(a);\np[0] = f(x);',
    fix: 'Write a loop.',
    instead: 'let a = x;\nfor (let k = 0; k < n; k++) a = a * 2;\np[0] = a;',
  },
  K1111: {
    title: 'a constant cannot be assigned to',
    meaning: 'A const, a parameter and the number of an unrolled round keep their value.',
    example: 'const a = n;\na = 5;',
    fix: 'Declare a variable with let.',
    instead: 'let a = n;\na = 5;\nq[0] = a;',
  },
  K1112: {
    title: 'a variable is read before it has a value',
    meaning:
      'On some path to this line, the variable has no value yet. The first value also decides the type of the variable.',
    example: 'let a;\nq[0] = a;',
    fix: 'Give it a value where it is declared.',
    instead: 'let a = u32(0);\nq[0] = a;',
  },
  K1113: {
    title: 'this must be a compile-time constant',
    meaning:
      'Lengths of arrays, counts of unrolled loops and sizes of tiles are part of the compiled code. Parameters become known later, at the launch.',
    example: 'const a = localArray(f32, n);',
    fix: 'Pass a constant through `use`. Kernels for several sizes are several kernels, made by a function of the host.',
    instead: 'const a = localArray(f32, limit);\na[0] = x;',
  },
  K1114: {
    title: 'a number is too large for the compiler',
    meaning: 'The body of an unrolled loop is repeated in the code, so the count has a limit.',
    example: 'for (const k of unroll(100000)) p[k] = 1;',
    fix: 'Use a loop that counts at run time.',
    instead: 'for (let k = 0; k < 100000; k++) p[k] = 1;',
  },
  K1115: {
    title: 'a session cannot be copied, returned or selected',
    meaning:
      'A session, such as a barrier session, has state and ends with its block. If it had two names, or were used on two paths, it would end twice.',
    example: 'const bar = lsa.barrierSession(coopCta(), comm, 0);\nconst other = bar;',
    fix: 'Declare it once with const, and call its methods there.',
    instead: "const bar = lsa.barrierSession(coopCta(), comm, 0);\nbar.sync(coopCta(), 'acq_rel');",
  },
  K1116: {
    title: 'a function returns a value on some ways and none on others',
    meaning: 'The call is either an expression or a statement, so all paths must agree.',
    example: 'const f = (a) => { if (a > 1) return a; };\nq[0] = f(n);',
    fix: 'Return a value on every path, or on none.',
    instead: 'const f = (a) => { if (a > 1) return a; return u32(0); };\nq[0] = f(n);',
  },
  K1117: {
    title: 'a kernel cannot return a value',
    meaning: 'A launch has thousands of threads, and no place for what each of them would return.',
    example: 'return n;',
    fix: 'Write results to a window.',
    instead: 'q[0] = n;',
  },
  K1118: {
    title: 'a function assigns a variable of outside',
    meaning:
      'Functions in a kernel are inlined, and cannot assign variables that they close over. So the order of evaluation is the order of the text.',
    example: 'let a = n;\nconst f = () => { a = 5; };\nf();',
    fix: 'Return the value, and assign it at the call.',
    instead: 'let a = n;\nconst f = () => u32(5);\na = f();\nq[0] = a;',
  },
  K1119: {
    title: 'members are accessed by name',
    meaning: 'Only pointers, arrays and other memory can be indexed by numbers.',
    example: 'q[0] = threadIdx[n];',
    fix: 'Write object.name.',
    instead: 'q[0] = threadIdx.x;',
  },
  K1120: {
    title: 'a member of a struct is missing',
    meaning: 'A struct has all of its members from the start.',
    example: 'kernel: Pair({ a: 1 }), of a struct with the members a and b',
    fix: 'Give every member.',
  },
  K1121: {
    title: 'a function is not a value at run time',
    meaning: 'Functions are inlined. They cannot be stored or compared.',
    example: 'q[0] = q.load;',
    fix: 'Call it.',
    instead: 'q[0] = q.load(0);',
  },
  K1122: {
    title: "a session's fixed state cannot be assigned",
    meaning: "State that is declared as 'fixed' is bound once, by the constructor. It therefore needs no register.",
    example: "deviceSession({ state: { index: 'fixed' }, methods: { move: ... self.index = to ... } })",
    fix: 'Declare the state with a type, which makes it a variable.',
    instead: 'deviceSession({ state: { index: u32 }, methods: { move: ... self.index = to ... } })',
  },
  K1123: {
    title: 'unroll(n) outside a loop head',
    meaning: "unroll(n) sets how often a loop's body is repeated, and is not a value.",
    example: 'q[0] = unroll(4);',
    fix: 'Write a loop over it.',
    instead: 'for (const k of unroll(4)) q[k] = 1;',
  },
  K1124: {
    title: 'this must be a whole number',
    meaning: 'Lengths and counts cannot have a fraction.',
    example: 'const a = localArray(f32, 4.5);',
    fix: 'Write a whole number.',
    instead: 'const a = localArray(f32, 4);\na[0] = x;',
  },
  K1125: {
    title: 'the function is not there for these types',
    meaning:
      'What the function does depends on the types of its arguments, and for these it does nothing. The report says why.',
    example: 'kernel: a multimem reduction of a type that the hardware cannot reduce',
    fix: "Follow the report's hint: use another type, or loads and stores.",
  },
  K1126: {
    title: 'the no form of function takes these arguments',
    meaning: 'The function can be called in several ways. The report lists them, and what was given.',
    example: 'kernel: lsaReduceSum with a window where the argument must be a pointer',
    fix: 'Pass the arguments of one of the listed forms.',
  },
};
