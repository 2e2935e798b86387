import { operandsOf } from './parse-litmus.ts';
import { NotExpressibleError, type Proxy } from './litmus-test.ts';

/** The meaning of the names in one thread. */
export interface ThreadNames {
  readonly wordOf: ReadonlyMap<string, { readonly word: number; readonly proxy: Proxy }>;
  readonly register: (name: string) => string;
  readonly label: (name: string) => string;
  /** The offsets of its own line of shared memory and of its own mbarrier. */
  readonly line: number;
  readonly bar: number;
  /** The bulk loads so far, whose phases alternate. */
  readonly loads: { count: number };
  /** The predicate of the lane that does what the litmus thread does, if there are others. */
  readonly isFirst: string;
}

/** One instruction or label of a litmus test as PTX. @throws NotExpressibleError */
export function instructionText(text: string, names: ThreadNames): readonly string[] {
  if (/^LC\d+\s*:$/u.test(text)) return [`${names.label(text.replace(/\s*:$/u, ''))}:`];
  const [opcode = ''] = text.split(/\s/u);
  const lines = translate(opcode, operandsOf(text), names);
  return lines.map((line) => (line.endsWith(':') ? line : `  ${line}`));
}

const branches: Readonly<Record<string, string>> = { beq: 'eq', bne: 'ne', bge: 'ge', ble: 'le', bgt: 'gt', blt: 'lt' };
const arithmetic: Readonly<Record<string, string>> = {
  add: 'add.s32',
  sub: 'sub.s32',
  mul: 'mul.lo.s32',
  div: 'div.s32',
};

function translate(opcode: string, operands: readonly string[], names: ThreadNames): readonly string[] {
  const [head = '', ...parts] = opcode.split('.');
  const [a = '', b = '', c = ''] = operands;
  const value = (text: string): string => (/^r\d+$/u.test(text) ? names.register(text) : text);
  const own = (...lines: readonly string[]): readonly string[] => lines.map((line) => `${names.isFirst}${line}`);
  const branch = branches[head];
  if (branch !== undefined) {
    return [`setp.${branch}.s32 %p3, ${value(a)}, ${value(b)};`, `@%p3 bra ${names.label(c)};`];
  }
  const operation = arithmetic[head];
  if (operation !== undefined) return [`mov.u32 %r8, ${value(b)};`, `${operation} ${value(a)}, %r8, ${value(c)};`];
  switch (head) {
    case 'goto':
      return [`bra ${names.label(a)};`];
    case 'ld':
      if (parts.length === 0) return [`mov.u32 ${value(a)}, ${value(b)};`];
      return own(`ld.${ordered(parts)}.global.u32 ${value(a)}, ${address(b, names, 'generic')};`);
    case 'st':
      return own(`st.${ordered(parts)}.global.u32 ${address(a, names, 'generic')}, ${value(b)};`);
    case 'fence':
      if (parts[0] === 'proxy') return own(...proxyFence(parts[1] ?? '', names));
      return own(`fence.${parts.join('.')};`);
    case 'atom':
    case 'red':
      return own(...atomicText(head, parts, operands, names, value));
    case 'bar':
      return barrierText(parts, operands, value);
    case 'sust':
      return own(...asyncStore(address(a, names, 'other'), value(b), names));
    case 'suld':
    case 'tld':
    case 'cold':
      return asyncLoad(value(a), address(b, names, 'other'), names);
    default:
      throw new NotExpressibleError(`the instruction ${opcode}`);
  }
}

function ordered(parts: readonly string[]): string {
  if (parts.includes('sc')) throw new NotExpressibleError('a load or store that is sequentially consistent by itself');
  return parts.join('.');
}

function address(name: string, { wordOf }: ThreadNames, proxy: 'generic' | 'other'): string {
  const place = wordOf.get(name);
  if (place === undefined) throw new NotExpressibleError(`an address in a register: ${name}`);
  if ((place.proxy === 'generic') !== (proxy === 'generic')) {
    throw new NotExpressibleError('an access by another proxy than that of its address');
  }
  return `[%rd1+${16 * place.word}]`;
}

/** Fences of proxies that no access of the test uses do nothing. */
function proxyFence(proxy: string, { wordOf }: ThreadNames): readonly string[] {
  if (proxy === 'alias') return ['fence.proxy.alias;'];
  return [...wordOf.values()].some((place) => place.proxy === proxy) ? ['fence.proxy.async;'] : [];
}

function atomicText(
  head: string,
  parts: readonly string[],
  operands: readonly string[],
  names: ThreadNames,
  value: (text: string) => string,
): readonly string[] {
  const operation = parts.at(-1) ?? '';
  const prefix = `${head}.${parts.slice(0, -1).join('.')}.global`;
  const isRed = head === 'red';
  const result = isRed ? '' : `${value(operands[0] ?? '')}, `;
  const [location = '', ...values] = isRed ? operands : operands.slice(1);
  const at = address(location, names, 'generic');
  const [first = '', second = ''] = values.map(value);
  switch (operation) {
    case 'add':
      return [`${prefix}.add.u32 ${result}${at}, ${first};`];
    case 'sub':
      return [`neg.s32 %r8, ${first};`, `${prefix}.add.u32 ${result}${at}, %r8;`];
    case 'and':
    case 'or':
    case 'xor':
    case 'exch':
      return [`${prefix}.${operation}.b32 ${result}${at}, ${first};`];
    case 'cas':
      return [`${prefix}.cas.b32 ${result}${at}, ${first}, ${second};`];
    default:
      throw new NotExpressibleError(`an atomic ${operation}`);
  }
}

/** `bar.cta.sync instance, id, count`: without an id, the instance is the id. */
function barrierText(
  parts: readonly string[],
  operands: readonly string[],
  value: (text: string) => string,
): readonly string[] {
  const mode = parts.at(-1) ?? '';
  const [instance = '', id = instance, count] = operands;
  if (count === undefined) {
    if (mode === 'arrive') throw new NotExpressibleError('bar.arrive without a count, which PTX requires');
    return [`barrier.cta.sync ${value(id)};`];
  }
  if (!/^\d+$/u.test(count)) throw new NotExpressibleError('a count in a register');
  return [`barrier.cta.${mode} ${value(id)}, ${32 * Number(count)};`];
}

/** A store by the async proxy: a bulk copy of the thread's own line. */
function asyncStore(at: string, value: string, { line }: ThreadNames): readonly string[] {
  return [
    `mov.u32 %r8, ${value};`,
    `st.shared.v4.u32 [%r5+${line}], {%r8, %r8, %r8, %r8};`,
    'fence.proxy.async.shared::cta;',
    `add.u32 %r9, %r5, ${line};`,
    `cp.async.bulk.global.shared::cta.bulk_group ${at}, [%r9], 16;`,
    'cp.async.bulk.commit_group;',
    'cp.async.bulk.wait_group 0;',
  ];
}

/** A load by the async proxy: a bulk copy to the thread's own line, and a wait for it. */
function asyncLoad(register: string, at: string, names: ThreadNames): readonly string[] {
  if (names.isFirst !== '') throw new NotExpressibleError('counted barriers beside loads by another proxy');
  const { line, bar, loads } = names;
  const wait = names.label(`WAIT${loads.count}`);
  const parity = loads.count++ % 2;
  return [
    `mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6+${bar}], 16;`,
    `add.u32 %r9, %r5, ${line};`,
    `add.u32 %r10, %r6, ${bar};`,
    `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], ${at}, 16, [%r10];`,
    `${wait}:`,
    `mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r10], ${parity};`,
    `@!%p3 bra ${wait};`,
    `ld.shared.u32 ${register}, [%r9];`,
  ];
}
