import {
  addr,
  bool,
  deviceFn,
  deviceSession,
  f32,
  f64,
  handleParam,
  i32,
  intrinsic,
  forms,
  ptr,
  structParam,
  u32,
  u64,
  overloaded,
  u8,
  vec,
  type Kernel,
  type ParamTypes,
  type Use,
  type DeviceFn,
} from '@nccl-ts/kernel';
import { bodyOf } from './body-of.ts';
import { kernelFromText } from './compile.ts';

/** A mistake, and its diagnostics. */
export interface DiagnosticCase {
  /** The author's mistake. */
  readonly name: string;
  /** The codes of all diagnostics, in order. The snapshot is named by the first. */
  readonly codes: readonly `K${number}`[];
  readonly kernel: Kernel;
  /** Captured in place of the kernel's own text: a text that this engine does not evaluate. */
  readonly raw?: string;
}

const handle = handleParam<{ readonly rank: number }, { readonly kind: 'comm' }>({
  handle: 'Comm',
  fields: { rank: i32 },
});
const pair = structParam<{ readonly a: number; readonly b: number }, never>({
  struct: 'Pair',
  fields: { a: i32, b: i32 },
});

const params: ParamTypes = {
  p: ptr(f32),
  q: ptr(u32),
  bytes: ptr(u8),
  n: u32,
  i: i32,
  l: u64,
  x: f32,
  d: f64,
  flag: bool,
  at: addr,
  v: vec(f32, 4),
  comm: handle,
};

const session = deviceSession({
  name: 'lock.session',
  state: { index: 'fixed', turns: u32 },
  params: { index: u32 },
  ctor: bodyOf('({}, self, { index }) => {\n  self.index = index;\n  self.turns = 0;\n}'),
  methods: {
    turn: { params: { by: u32 }, body: bodyOf('({}, self, { by }) => {\n  self.turns += by;\n}') },
    spin: {
      params: { flags: ptr(u32) },
      body: bodyOf('({ waitUntil }, self, { flags }) => {\n  waitUntil(() => (self.turns = flags.load(0)) > 0);\n}'),
    },
    move: { params: { to: u32 }, body: bodyOf('({}, self, { to }) => {\n  self.index = to;\n}') },
  },
});

const put: DeviceFn<(comm: unknown, order: string, options?: object) => void> = intrinsic(
  {
    name: 'put',
    params: {
      comm: handle,
      order: { kind: 'word', words: ['relaxed', 'release'] },
      'options?': { kind: 'options', members: { coop: { kind: 'coop' }, width: { kind: 'constant' } } },
    },
  },
  () => undefined,
);

const halve = overloaded<(p: unknown, x: number) => void>({
  name: 'halve',
  params: { p: { kind: 'anyPointer' }, x: { kind: 'element', of: 'p' } },
  choose: ({ types }) => ({
    kind: 'refusal',
    reason: `there are no halves of ${types['p']?.kind ?? 'nothing'}s`,
    hint: 'halve a vector',
  }),
});
const moveMany: DeviceFn<(type: unknown, p: unknown, n: number) => void> = intrinsic(
  {
    name: 'move',
    params: { type: { kind: 'type' }, p: { kind: 'pointerTo', type: 'type' }, n: { kind: 'anyInteger' } },
  },
  () => undefined,
);
const move = forms<() => void>({
  name: 'move',
  forms: [
    { params: { p: { kind: 'anyPointer' } }, fn: deviceFn({ name: 'moveOne' }, () => undefined) },
    { params: { type: { kind: 'type' }, p: { kind: 'anyPointer' }, n: { kind: 'anyInteger' } }, fn: moveMany },
  ],
});

/** Device functions that contain mistakes, or that a kernel calls wrongly. */
const deviceFns = {
  twice: deviceFn({ name: 'twice' }, bodyOf('({}, x) => x * 2') as never),
  sometimes: deviceFn({ name: 'sometimes' }, bodyOf('({}, x) => {\n  if (x > 1) return x;\n}') as never),
  broken: deviceFn({ name: 'broken' }, bodyOf('({}, x) => {\n  return x + missing;\n}') as never),
};
const recursive = deviceFn({ name: 'recursive' }, bodyOf('({ self }, x) => self(x)') as never);
// Only plain JavaScript can make a function use itself, by changing it afterwards.
const selfCalling: typeof recursive = {
  ...recursive,
  use: {
    get self() {
      return selfCalling;
    },
  },
};

const cases: DiagnosticCase[] = [];

function add(codes: string, name: string, text: string, use: Use = {}, more: ParamTypes = {}): void {
  const kernel = kernelFromText(text, { name: 'wrong', use, params: { ...params, ...more } });
  cases.push({ name, codes: codes.split(' ') as `K${number}`[], kernel });
}

function addRaw(codes: string, name: string, raw: string): void {
  const kernel = kernelFromText('() => {}', { name: 'wrong', params });
  cases.push({ name, codes: codes.split(' ') as `K${number}`[], kernel, raw });
}

function addBody(codes: string, name: string, body: unknown): void {
  cases.push({
    name,
    codes: codes.split(' ') as `K${number}`[],
    kernel: { ...kernelFromText('() => {}', { name: 'wrong', params }), body: body as never },
  });
}

// K10xx: the text
addRaw('K1001', 'text that no engine reads', '({ f32 }, { p }) => {\n  p[0] = ;\n}');
addRaw('K1001', 'a private method', '#body({ f32 }, { p }) { p[0] = 1; }');
addRaw('K1001', 'a method with a mistake inside', 'body({ f32 }, { p }) {\n  p[0] = = 1;\n}');
addRaw('K1001', 'a call assigned to', '({ f32 }, { p }) => { f32(1) = 2; }');
addBody('K1002', 'a class', bodyOf('class Wrong {}'));
addBody('K1003', 'a built-in function', Math.max);
addBody('K1003', 'a bound function', bodyOf('function wrong() {}').bind(undefined));
addRaw('K1004', 'an expression of a thousand operators', `({}, { q, n }) => { q[0] = ${'- '.repeat(1000)}n; }`);
add('K1005', 'a name from the module around', '({}, { p, n }) => {\n  p[n] = scale;\n}');
add(
  'K1005',
  'an import that a bundler has renamed',
  '({}, { p, n }) => {\n  p[n] = (0, __vite_ssr_import_0__.f32)(n);\n}',
);
add('K1005', 'a name that is assigned', '({}, { n }) => {\n  total += n;\n}');
add('K1005', 'a name in a device function', '({ broken }, { q, n }) => {\n  q[0] = broken(n);\n}', deviceFns);
add('K1006', 'a built-in that was not taken', '({}, { p }) => {\n  p[threadIdx.x] = 1;\n}');
add('K1007', 'istanbul coverage', '({}, { p }) => {\n  cov_1a2b().s[0]++;\n  p[0] = 1;\n}');
add('K1008', 'Math', '({}, { p, x }) => {\n  p[0] = Math.sqrt(x);\n}');
add('K1008', 'Math.floor of a quotient', '({}, { p, n }) => {\n  p[0] = Math.floor(n / 2);\n}');
add('K1008', 'Math.min', '({}, { p, n }) => {\n  p[0] = Math.min(n, 3);\n}');
add('K1008', 'Math.random', '({}, { p }) => {\n  p[0] = Math.random();\n}');
add('K1008', 'console', '({}, { x }) => {\n  console.log(x);\n}');
add('K1009', 'an async kernel', 'async ({}, { p }) => {\n  p[0] = 1;\n}');
add('K1009', 'an async function in a kernel', '({}, { p }) => {\n  const f = async () => 1;\n}');
add('K1010', 'a generator', 'function* ({}, { p }) {\n  p[0] = 1;\n}');
add('K1010', 'yield in a plain function', '({}, { p, x }) => {\n  yield (x);\n}');
add('K1011', 'await in a plain function', '({ coopCta }, { p }) => {\n  await (coopCta().sync());\n}');
add('K1012', 'switch', '({}, { p, n }) => {\n  switch (n) {\n    case 1: p[0] = 1;\n  }\n}');
add('K1013', 'try', '({}, { p }) => {\n  try { p[0] = 1; } catch {}\n}');
add('K1013', 'throw', '({}, { n }) => {\n  if (n > 4) throw n;\n}');
add('K1014', 'a class declaration', '({}, { p }) => {\n  class A {}\n}');
add('K1014', 'a class expression', '({}, { p }) => {\n  const A = class {};\n}');
add('K1015', 'a labelled loop', '({}, { p, n }) => {\n  outer: for (let i = 0; i < n; i++) p[i] = 1;\n}');
add('K1016', 'for in', '({}, { p }) => {\n  for (const key in p) p[0] = 1;\n}');
add('K1017', 'for of over something else', '({}, { p }) => {\n  for (const x of p) p[0] = 1;\n}');
add('K1018', 'with', '({}, { p, comm }) => {\n  with (comm) { p[0] = 1; }\n}');
add('K1019', 'debugger', '({}, { p }) => {\n  debugger;\n}');
addRaw('K1020', 'using', '({}, { p, n }) => {\n  using s = p;\n  s.store(0, n);\n}');
add('K1021', 'new', '({ f32 }, { p }) => {\n  const a = new f32(4);\n}');
add('K1022', 'this', '({}, { p }) => {\n  p[0] = this.x;\n}');
add('K1023', 'a template', '({ print }, { n }) => {\n  print(`rank ${n}`);\n}');
add('K1023', 'a tagged template', '({ print }, { n }) => {\n  print`rank ${n}`;\n}');
add('K1024', 'a regular expression', '({}, { p }) => {\n  const r = /a/;\n}');
add('K1025', 'an array', '({}, { p }) => {\n  const a = [1, 2];\n}');
add('K1025', 'array destructuring', '({}, { p }) => {\n  const [a] = p;\n}');
add('K1026', 'spread arguments', '({ min }, { n, p }) => {\n  p[0] = min(...n);\n}');
add('K1027', 'optional chaining', '({}, { p, comm }) => {\n  p[comm?.rank] = 1;\n}');
add('K1027', 'an optional call deep in a chain', '({}, { p }) => {\n  p.offset?.(1).store(0, 1);\n}');
add('K1028', 'a power', '({}, { p, x }) => {\n  p[0] = x ** 2;\n}');
add('K1028', 'a power assigned', '({}, { p, x }) => {\n  let y = x;\n  y **= 2;\n}');
add('K1028', 'typeof', "({}, { p, x }) => {\n  if (typeof x === 'number') p[0] = 1;\n}");
add('K1028', 'in', "({}, { x, comm }) => {\n  const y = 'rank' in comm;\n}");
add('K1028', 'delete', '({}, { comm }) => {\n  delete comm.rank;\n}');
add('K1029', '>>>', '({}, { q, i }) => {\n  q[0] = i >>> 1;\n}');
add('K1029', '>>>=', '({}, { q, i }) => {\n  let y = i;\n  y >>>= 1;\n}');
add('K1030', 'a default value', '({}, { p, n = 4 }) => {\n  p[0] = n;\n}');
add('K1031', 'rest members', '({}, { p, ...rest }) => {\n  p[0] = rest.n;\n}');
add('K1031', 'rest parameters', '({}, { p }) => {\n  const f = (...all) => 1;\n  p[0] = f(1, 2);\n}');
add('K1032', 'a computed member', "({}, { p }) => {\n  const o = { ['a']: 1 };\n}");
add('K1032', 'a getter', '({}, { p }) => {\n  const o = { get a() { return 1; } };\n}');
add('K1033', 'a field of a handle', '({}, { comm }) => {\n  comm.rank = 1;\n}');
add('K1033', 'an assignment pattern', '({}, { n, i }) => {\n  let a = n;\n  ({ a } = { a: i });\n}');
addRaw('K1034', 'import.meta', '({ f32 }, { p }) => { p[0] = import.meta.x; }');
add('K1034', 'import()', "({}, { p }) => {\n  const m = import('x');\n}");
add('K1034', 'new.target', 'function ({}, { p }) {\n  const m = new.target;\n}');
add('K1035', 'null', '({}, { p }) => {\n  const a = null;\n}');
add('K1036', 'a computed name in a pattern', "({ ['f32']: T }, { p }) => {\n  p[0] = T(1);\n}");
add('K1037', 'a pattern over rounds', '({ unroll }, { p }) => {\n  for (const { a } of unroll(4)) p[a] = 1;\n}');
add(
  'K1037',
  'a variable of outside over rounds',
  '({ unroll }, { p }) => {\n  let a = 0;\n  for (a of unroll(4)) p[a] = 1;\n}',
);

// K11xx: names, calls, variables
add('K1005', 'a plain function that is called', '({}, { p, n }) => {\n  p[n] = scale(n);\n}');
add('K1005 '.repeat(9).trim(), 'one name in many places', `({}, { p, n }) => {\n${'  p[n] = scale;\n'.repeat(9)}}`);
add('K2001', 'a sum that a literal made an integer', '({}, { p, n }) => {\n  let acc = 0;\n  acc += p.load(n);\n}');
add('K2001', 'the same in full', '({}, { p, n }) => {\n  let acc = 0;\n  acc = acc + p.load(n);\n}');
add('K2003', 'a larger value than the first', '({ u64 }, { n }) => {\n  let top = 0;\n  top = u64(n);\n}');
add('K2004', 'a fraction after a whole number', '({}, { n }) => {\n  let acc = 0;\n  if (n > 1) acc = 0.5;\n}');
add('K2005', 'a large number after a small one', '({}, { n }) => {\n  let acc = 0;\n  if (n > 1) acc = 5000000000;\n}');
add('K1101', 'a misspelt method', '({}, { p }) => {\n  p.lod(0);\n}');
add('K1101', 'a member of nothing', '({ threadIdx }, { p }) => {\n  p[threadIdx.w] = 1;\n}');
add('K1101', 'a member of a number', '({}, { p, n }) => {\n  p[n.length] = 1;\n}');
add('K1101', 'a field that a handle lacks', '({}, { p, comm }) => {\n  p[comm.nodes] = 1;\n}');
add('K1101', 'a built-in that does not exist', '({ treadIdx }, { p }) => {\n  p[0] = 1;\n}');
add('K1101', 'a parameter that does not exist', '({}, { p, count }) => {\n  p[0] = 1;\n}');
add('K1102', 'a number called', '({}, { p, n }) => {\n  p[0] = n();\n}');
add('K1103', 'too few arguments of a built-in', '({ shfl }, { q, n }) => {\n  q[0] = shfl(n);\n}');
add('K1103', 'too many arguments of a method', "({}, { q }) => {\n  q[0] = q.load(0, 'acquire', 'system', 1);\n}");
add('K1103', 'too few arguments of an intrinsic', '({ put }, { comm }) => {\n  put(comm);\n}', { put });
add('K1104', 'an argument of another kind', '({ lane }, { p, x }) => {\n  p[0] = lane(x, 0);\n}');
add('K1104', 'a handle where another thing stands', "({ put }, { n }) => {\n  put(n, 'relaxed');\n}", { put });
add('K1104', 'an argument left out with undefined', "({ put }, { n }) => {\n  put(undefined, 'relaxed');\n}", { put });
add('K1104', 'an order that is no string', '({}, { q }) => {\n  q[0] = q.load(0, 1);\n}');
add('K1105', 'a misspelt order', "({}, { q }) => {\n  q[0] = q.load(0, 'aquire');\n}");
add('K1105', 'a scope of CUDA', "({ fence }, { q }) => {\n  fence('acq_rel', 'gpu');\n}");
add('K1125', 'an overload that does not exist', '({ halve }, { p }) => {\n  halve(p, 4);\n}', { halve });
add('K1106', 'an option that does not exist', "({ put }, { comm }) => {\n  put(comm, 'relaxed', { with: 4 });\n}", {
  put,
});
add('K1107', 'an object through use', '({ table }, { p }) => {\n  p[0] = 1;\n}', { table: { a: 1 } as never });
add('K1107', 'a plain function through use', '({ helper }, { p }) => {\n  p[0] = helper(1);\n}', {
  helper: ((a: number) => a) as never,
});
add('K1107', 'null through use', '({ nothing }, { p }) => {\n  p[0] = 1;\n}', { nothing: null as never });
add('K1108', 'a built-in through use', '({ min }, { p, n }) => {\n  p[0] = 1;\n}', { min: 4 });
add('K1108', 'another type under a type', '({ f32 }, { p, n }) => {\n  p[0] = 1;\n}', { f32: f64 });
add('K1109', 'a parameter without a type', '({}, { p, size }) => {\n  p[0] = size;\n}', {}, { size: 4 as never });
add('K1110', 'recursion', '({ selfCalling }, { p, x }) => {\n  p[0] = selfCalling(x);\n}', { selfCalling });
add('K1110', 'a local function that calls itself', '({}, { p, x }) => {\n  const f = (a) => f(a);\n  p[0] = f(x);\n}');
add('K1111', 'a constant assigned', '({}, { p, n }) => {\n  const a = n;\n  a = 5;\n}');
add('K1111', 'the number of a round', '({ unroll }, { p }) => {\n  for (let i of unroll(4)) p[i++] = 1;\n}');
add('K1112', 'a variable without a value', '({}, { q, n }) => {\n  let a;\n  q[0] = a;\n}');
add('K1112', 'a constant before its declaration', '({}, { q, n }) => {\n  q[0] = a;\n  const a = n;\n}');
add('K1113', 'a length known at run time', '({ localArray, f32 }, { n }) => {\n  const a = localArray(f32, n);\n}');
add('K1124', 'a length with a fraction', '({ localArray, f32 }, { n }) => {\n  const a = localArray(f32, 4.5);\n}');
add('K1114', 'a long unrolled loop', '({ unroll }, { p }) => {\n  for (const i of unroll(100000)) p[i] = 1;\n}');
add(
  'K1114',
  'unrolled loops in unrolled loops',
  '({ unroll }, { p }) => {\n  for (const i of unroll(4000)) for (const j of unroll(4000)) p[0] = 1;\n}',
);
add('K1115', 'a session under a second name', '({ session }, { n }) => {\n  const a = session(0);\n  const b = a;\n}', {
  session,
});
add('K1115', 'a session returned', '({ session }, { n }) => {\n  const f = () => session(0);\n  f();\n}', { session });
add('K1115', 'a session as a number', '({ session }, { q }) => {\n  const a = session(0);\n  q[0] = a;\n}', {
  session,
});
add(
  'K1116',
  'a value on some ways',
  '({}, { q, n }) => {\n  const f = (a) => { if (a > 1) return a; };\n  q[0] = f(n);\n}',
);
add(
  'K1116',
  'a value on some ways in a device function',
  '({ sometimes }, { q, n }) => {\n  q[0] = sometimes(n);\n}',
  deviceFns,
);
add('K1117', 'a value returned from a kernel', '({}, { q, n }) => {\n  return n;\n}');
add('K1118', 'a variable of outside', '({}, { q, n }) => {\n  let a = n;\n  const f = () => { a = 5; };\n  f();\n}');
add('K1119', 'a member by a number', '({ threadIdx }, { q, n }) => {\n  q[0] = threadIdx[n];\n}');
add('K1120', 'a struct with a member missing', '({ Pair }, { q, n }) => {\n  const a = Pair({ a: 1 });\n}', {
  Pair: pair,
});
add('K1121', 'a method as a value', '({}, { q, n }) => {\n  q[0] = q.load;\n}');
add('K1121', 'an arrow function as a value', '({}, { q, n }) => {\n  q[0] = (a) => a;\n}');
add(
  'K1122',
  'fixed state assigned in a method',
  '({ session }, { n }) => {\n  const a = session(0);\n  a.move(n);\n}',
  { session },
);
add('K1123', 'unroll as a value', '({ unroll }, { q }) => {\n  q[0] = unroll(4);\n}');

add('K1126', 'arguments that no form takes', "({ move }, { p, comm }) => {\n  move(comm, p, 'relaxed');\n}", { move });
add('K1126', 'no arguments at all', '({ move }, {}) => {\n  move();\n}', { move });
add('K1104', 'a pointer to another type', '({ move, f32 }, { q, n }) => {\n  move(f32, q, n);\n}', { move });
add('K1104', 'a float where any integer stands', '({ move, f32 }, { p, x }) => {\n  move(f32, p, x);\n}', { move });

// K20xx: types
add('K2001', 'an integer and a float', '({}, { p, n, x }) => {\n  p[0] = x * n;\n}');
add('K2003', 'an integer stored as a float', '({}, { p, n }) => {\n  p[0] = n;\n}');
add('K2002', 'two float types of one size', '({ f16, bf16 }, { p, x }) => {\n  const a = f16(x) + bf16(x);\n}');
add('K2002', 'a pointer or a number', '({}, { p, q, n, flag }) => {\n  const a = flag ? p : q;\n}');
add('K2003', 'a wide integer in a narrow place', '({}, { q, l }) => {\n  q[0] = l;\n}');
add('K2003', 'a wide operand of +=', '({}, { n, l }) => {\n  let a = n;\n  a += l;\n}');
add('K2004', 'a fraction as an integer', '({}, { q, n }) => {\n  q[0] = n + 0.5;\n}');
add('K2004', 'an infinity as an integer', '({}, { q }) => {\n  q[0] = 1 / 0;\n}');
add('K2005', 'a literal out of range', '({ u8 }, { q }) => {\n  const a = u8(300);\n}');
add('K2005', 'a literal out of range of a float', '({ f16 }, { q }) => {\n  const a = f16(1e6);\n}');
add('K2006', 'a fraction alone', '({}, { q, n }) => {\n  let a = 0.5;\n  a += n;\n}');
add('K1104', 'a group as the value of a broadcast', '({ coopCta }, { p, q }) => {\n  q[0] = coopCta().bcast(p);\n}');
add('K2006', 'math on a literal', '({ math }, { p }) => {\n  p[0] = math.sqrt(2);\n}');
add(
  'K2007',
  'a pointer that is assigned where it is one',
  '({}, { p, q }) => {\n  let a = p;\n  a &&= p;\n  a[0] = 1;\n}',
);
add('K2007', 'a vector as a condition', '({}, { p, v }) => {\n  if (v) p[0] = 1;\n}');
add('K2007', 'a pointer as a condition', '({}, { p, v }) => {\n  if (p) p[0] = 1;\n}');
add('K2007', 'a handle as a condition', '({}, { p, comm }) => {\n  while (comm) p[0] = 1;\n}');
add('K2008', 'bits of a float', '({}, { p, x }) => {\n  p[0] = x & 1;\n}');
add('K2008', 'a handle in arithmetic', '({}, { p, comm }) => {\n  p[comm + 1] = 1;\n}');
add('K2008', 'a shifted float', '({}, { p, x }) => {\n  p[0] = x << 1;\n}');
add('K2009', 'pointer arithmetic', '({}, { p, n }) => {\n  const a = p + n;\n}');
add('K2009', 'a pointer incremented', '({}, { p, n }) => {\n  let a = p;\n  a++;\n}');
add('K2010', 'vectors compared', '({}, { p, v }) => {\n  if (v < v) p[0] = 1;\n}');
add('K2010', 'a pointer compared with a number', '({}, { p, v }) => {\n  if (p === 0) p[0] = 1;\n}');
add('K2011', 'a float as an index', '({}, { p, x }) => {\n  p[x] = 1;\n}');
add('K2011', 'a fraction as an index', '({}, { p }) => {\n  p[0.5] = 1;\n}');
add('K2012', 'a vector indexed', '({}, { p, v }) => {\n  p[0] = v[0];\n}');
add('K2012', 'a number indexed and assigned', '({}, { n }) => {\n  n[0] = 1;\n}');
add('K2013', 'a vector that is too wide', '({ vec, f64 }, { p }) => {\n  const a = vec(f64, 4)(1);\n}');
add('K2013', 'a vector of three', '({ vec, f32 }, { p }) => {\n  const a = vec(f32, 3)(1);\n}');
add('K2014', 'a vector cast to a number', '({ f32 }, { p, v }) => {\n  p[0] = f32(v);\n}');
add('K2015', 'a bitcast to another size', '({ bitcast, u64 }, { x }) => {\n  const a = bitcast(u64, x);\n}');
add('K2016', 'an element past the width', '({ lane }, { p, v }) => {\n  p[0] = lane(v, 4);\n}');
add('K2017', 'math on an integer', '({ math }, { p, n }) => {\n  p[0] = math.sqrt(n);\n}');
add('K2018', 'an atomic on bytes', '({}, { bytes }) => {\n  bytes.atomicAdd(0, 1);\n}');
add('K2018', 'an ordered load of a vector', "({ vec, f32 }, { p }) => {\n  p.cast(vec(f32, 4)).load(0, 'acquire');\n}");
add('K2019', 'a load that releases', "({}, { q }) => {\n  q.load(0, 'release');\n}");
add('K2019', 'a store that acquires', "({}, { q }) => {\n  q.store(0, 1, 'acquire');\n}");
add('K2020', 'a value of what has none', '({ fence }, { q }) => {\n  q[0] = fence("acquire");\n}');
add(
  'K2020',
  'an argument of what has none',
  '({ twice, fence }, { q }) => {\n  q[0] = twice(fence("acquire"));\n}',
  deviceFns,
);
add('K2021', 'a string as a number', "({}, { q }) => {\n  q[0] = 'acquire';\n}");
add(
  'K2021',
  'a group chosen at run time',
  '({ coopCta, coopWarp }, { flag }) => {\n  const coop = flag ? coopCta() : coopWarp();\n}',
);
add('K2021', 'an option that was left out', '({}, { q }) => {\n  const f = (a) => a + 1;\n  q[0] = f();\n}');
add('K2022', 'a variable of another kind', '({}, { p, n }) => {\n  let a = p;\n  a = n;\n}');
add('K2022', 'a struct and a number', '({ Pair }, { n }) => {\n  let a = Pair({ a: 1, b: 2 });\n  a = n;\n}', {
  Pair: pair,
});
add('K2023', 'an array of nothing', '({ sharedArray, f32 }, {}) => {\n  const a = sharedArray(f32, 0);\n}');
add('K2024', 'an array of truth values', '({ sharedArray, bool }, {}) => {\n  const a = sharedArray(bool, 4);\n}');
add(
  'K2025',
  'an index is past the end of an array',
  '({ localArray, f32 }, {}) => {\n  const a = localArray(f32, 4);\n  a[4] = 1;\n}',
);
add(
  'K2025',
  'an element before the beginning',
  '({ localArray, f32 }, {}) => {\n  const a = localArray(f32, 4);\n  a[-1] = 1;\n}',
);
add('K2026', 'a division by zero', '({}, { q, n }) => {\n  q[0] = n / 0;\n}');
add('K2026', 'a bigint divided by zero', '({}, { q, n }) => {\n  q[0] = 1n / 0n;\n}');
add('K2027', 'a bigint and a fraction', '({}, { q, n }) => {\n  q[0] = 1n + 0.5;\n}');
add('K2028', 'a fraction as a shift count', '({}, { q, n }) => {\n  q[0] = n << 0.5;\n}');
add('K2028', 'a float as a shift count', '({}, { q, n, x }) => {\n  q[0] = n << x;\n}');

add('K2029', 'an alignment that is no power of two', '({}, { q, p }) => {\n  q[0] = p.misalignment(12);\n}');
add('K2030', 'a number or another', '({}, { q, n }) => {\n  let x = n;\n  x = x || 3;\n  q[0] = x;\n}');
add('K2030', 'a number and two more', '({}, { q, n }) => {\n  let x = n;\n  x = (x && q[1]) && q[2];\n  q[0] = x;\n}');

// K31xx: waits and groups
add(
  'K3101',
  'a store in a condition',
  '({ waitUntil }, { q }) => {\n  waitUntil(() => { q[0] = 1; return q[1] > 0; });\n}',
);
add(
  'K3101',
  'a read-modify-write in a condition',
  '({ waitUntil }, { q }) => {\n  waitUntil(() => q.atomicAdd(0, 1) > 4);\n}',
);
add(
  'K3101',
  'a loop in a condition',
  '({ coopCta }, { q, n }) => {\n  coopCta().waitAll(4, (i) => { let s = 0; for (let j = 0; j < n; j++) s++; return q[i] > s; });\n}',
);
add(
  'K1118',
  'a variable of outside in a condition',
  '({ waitUntil }, { q, n }) => {\n  let a = n;\n  waitUntil(() => (a = q[0]) > 0);\n}',
);
add(
  'K3102',
  'state of a session in a condition',
  '({ session }, { q }) => {\n  const a = session(0);\n  a.spin(q);\n}',
  { session },
);
add('K3103', 'a value in place of a condition', '({ waitUntil }, { q }) => {\n  waitUntil(q[0] > 0);\n}');
add(
  'K3103',
  'a value in place of the condition of waitAll',
  '({ coopCta }, { q }) => {\n  coopCta().waitAll(4, q[0] > 0);\n}',
);
add('K3104', 'a tile of five', '({ coopTile }, {}) => {\n  coopTile(5).sync();\n}');
add('K3105', 'a span with a large id', '({ coopWarpSpan }, {}) => {\n  coopWarpSpan(0, 2, 16).sync();\n}');
add('K3106', 'a number as a group', '({ coopAny }, { n }) => {\n  coopAny(n).sync();\n}');
add(
  'K3106',
  'a number as the group of an intrinsic',
  "({ put }, { comm, n }) => {\n  put(comm, 'relaxed', { coop: n });\n}",
  { put },
);
add(
  'K3107',
  'a broadcast in a group of the author',
  '({}, { q, n }) => {\n  const coop = { threadRank: () => 0, size: () => 1, sync: () => {} };\n  q[0] = coop.bcast(n);\n}',
);

export const diagnosticCases: readonly DiagnosticCase[] = cases;

/** The number of cases, for the test that counts them. */
export const threeMistakes: Kernel = kernelFromText(
  '({ threadIdx }, { p, n }) => {\n  p[0] = scale;\n  const a = n;\n  a = 5;\n  let b = missing;\n  b += a;\n  p.lod(b);\n}',
  { name: 'threeMistakes', params },
);
