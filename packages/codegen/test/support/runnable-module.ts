import { parseModule, type Module } from '@nccl-ts/ir';
import { array, nat, toStringMethod, type Arbitrary } from 'fast-check';

/** A kernel without races whose result does not depend on the schedule, and its launch. */
export interface RunnableModule {
  readonly text: string;
  readonly module: Module;
  readonly block: { readonly x: number; readonly y: number; readonly z: number };
  readonly grid: number;
  readonly ranks: number;
}

/** The bytes of the window that runnable modules use. */
export const runnableBytes = 49_152;

/**
 * With `divergentWaits`, threads of a CTA may diverge across waits and synchronizations of smaller
 * groups. Each thread has `values` more numbers, which it keeps from the first statement to the
 * last.
 */
export function runnableModule(options: {
  readonly divergentWaits: boolean;
  readonly values?: number;
}): Arbitrary<RunnableModule> {
  const numbers = array(nat({ max: 9999 }), { minLength: 20, maxLength: 500, size: 'max' });
  return numbers.map((list) => {
    const made = new Maker(list, options.divergentWaits, options.values ?? 0).make();
    Object.defineProperty(made, toStringMethod, {
      value: () => `\n${made.text}\n${JSON.stringify(made.block)} x ${made.grid}, ${made.ranks} ranks`,
    });
    return made;
  });
}

const scalars = ['i32', 'u32', 'i64', 'u64', 'f32', 'f64', 'bool', 'i8', 'u16', 'bf16', 'f16'] as const;
const types = [...scalars, 'vec(f32, 4)', 'vec(u32, 2)', 'vec(bf16, 8)'] as const;
type TypeText = (typeof types)[number];
const bytesOf: Readonly<Record<TypeText, number>> = {
  i32: 4,
  u32: 4,
  i64: 8,
  u64: 8,
  f32: 4,
  f64: 8,
  bool: 1,
  i8: 1,
  u16: 2,
  bf16: 2,
  f16: 2,
  'vec(f32, 4)': 16,
  'vec(u32, 2)': 8,
  'vec(bf16, 8)': 16,
};
const isFloatText = (type: string): boolean => /f/.test(type);

interface Place {
  readonly depth: number;
  /** True if all threads of the CTA are here together. */
  readonly together: boolean;
  readonly inLoop: boolean;
  readonly indent: string;
}

class Maker {
  readonly #numbers: readonly number[];
  readonly #divergentWaits: boolean;
  readonly #values: number;
  #next = 0;
  readonly #locals: { readonly name: string; readonly type: string }[] = [];
  readonly #lines: string[] = [];
  #labels = 0;
  #barriers = 0;
  /** The locals that only one loop may set. */
  readonly #reserved = new Set<number>();

  constructor(numbers: readonly number[], divergentWaits: boolean, values: number) {
    this.#numbers = numbers;
    this.#divergentWaits = divergentWaits;
    this.#values = values;
  }

  #below(count: number): number {
    return (this.#numbers[this.#next++] ?? 0) % count;
  }

  #of<T>(options: readonly T[]): T {
    const option = options[this.#below(options.length)];
    if (option === undefined) throw new Error('nothing to choose from');
    return option;
  }

  get #spent(): boolean {
    return this.#next >= this.#numbers.length;
  }

  make(): RunnableModule {
    const block = this.#of([
      { x: 32, y: 1, z: 1 },
      { x: 7, y: 1, z: 1 },
      { x: 40, y: 1, z: 1 },
      { x: 8, y: 2, z: 3 },
      { x: 64, y: 1, z: 1 },
    ]);
    const grid = this.#of([1, 2, 3]);
    const ranks = this.#of([1, 2, 3]);
    // Two locals of each type: an even one that all threads share, and an odd one that they do not.
    for (const type of types) this.#locals.push({ name: `all_${type[0]}`, type }, { name: `own_${type[0]}`, type });
    const begin = this.#locals.map(({ type }, id) => `  %${id} = ${this.#constant(type)}`);
    this.#body({ depth: 3, together: true, inLoop: false, indent: '  ' }, 14);
    const kept = this.#kept.map((id) => `local %${id} kept_${id}: u32`);
    const set = this.#kept.map((id) => `  %${id} = load ${this.#slot('u32', id % 8)}`);
    const text = [
      'kernel random',
      'param $0 comm: DevComm',
      'param $1 win: Window',
      'param $2 count: u32',
      'param $3 scale: f32',
      'array #0 tile: shared u32[256]',
      'array #1 mine: local vec(u32, 2)[4]',
      ...this.#locals.map(({ name, type }, id) => `local %${id} ${name}: ${type}`),
      ...kept,
      '{',
      ...begin,
      ...set,
      ...this.#lines,
      ...this.#dump(),
      '}',
    ].join('\n');
    return { text, module: parseModule(text), block, grid, ranks };
  }

  /** The locals after all others, which are set at the beginning and read at the end. */
  get #kept(): readonly number[] {
    return Array.from({ length: this.#values }, (_, i) => this.#locals.length + i);
  }

  #add(place: Place, ...lines: readonly string[]): void {
    for (const line of lines) this.#lines.push(place.indent + line);
  }

  /**
   * Stores everything that a thread has to its own part of the window. The bits of a NaN are not
   * specified.
   */
  #dump(): readonly string[] {
    const ids = types.map((type, i) => ({ type, id: i * 2 + 1 }));
    let sum = '0:u64';
    for (const { type, id } of ids) {
      if (type.startsWith('vec')) continue;
      const value = isFloatText(type)
        ? `select((%${id} == %${id}), u64(%${id}), 12345n:u64)`.replace('12345n:u64', '12345n:u64')
        : `u64(%${id})`;
      sum = `((${sum.replace(/^0:u64$/, '0n:u64')} * 31n:u64) + ${value})`;
    }
    const sums = this.#kept.map((id, i) => {
      const [slot, value] = [this.#slot('u32', 8), `(%${id} * ${i}:u32)`];
      return [`  %3 = load ${slot}`, `  store ${slot}, ((%3 * 31:u32) + ${value})`];
    });
    return [`  store ${this.#slot('u64', 0)}, ${sum}`, ...sums.flat()];
  }

  /** Element `at` of the thread's own 64 bytes. */
  #slot(type: TypeText, at: number): string {
    const base = `(window(u8, $1, $0.lsaRank:i32, 0:addr) +> (((blockIdx.x * blockThreads) + threadLinear) * 64:u32))`;
    const forms = [
      `(cast(${type}, ${base}) +> ${at}:u32)`,
      `(window(${type}, $1, $0.lsaRank:i32, addr(((((blockIdx.x * blockThreads) + threadLinear) * 64:u32) + ${at * bytesOf[type]}:u32))) +> 0:i32)`,
      `(window(${type}, $1, $0.lsaRank:i32, ${at * bytesOf[type]}:addr) +> (((blockIdx.x * blockThreads) + threadLinear) * ${64 / bytesOf[type]}:u32))`,
    ];
    return this.#of(forms);
  }

  #constant(type: string): string {
    const vector = /^vec\((\w+), (\d)\)$/.exec(type);
    if (vector !== null) return `${type}[${this.#constant(vector[1] ?? 'u32')}]`;
    if (type === 'bool') return this.#of(['true', 'false']);
    if (isFloatText(type)) return `${this.#of(['0', '1', '-0.5', '3', '1.5'])}:${type}`;
    const wide = type === 'i64' || type === 'u64' ? 'n' : '';
    const signed = type.startsWith('i');
    const values = ['0', '1', '2', '7', '31', ...(signed ? ['-1', '-5'] : ['100'])];
    return `${this.#of(values)}${wide}:${type}`;
  }

  #local(type: string, shared: boolean): string {
    const index = types.findIndex((t) => t === type);
    return `%${index * 2 + (shared ? 0 : 1)}`;
  }

  #builtin(shared: boolean): string {
    const all = ['blockIdx.x', 'blockDim.x', 'gridDim.x', '$2', 'u32($0.lsaRank:i32)', 'blockThreads'];
    return this.#of(shared ? all : [...all, 'threadIdx.x', 'threadLinear', 'laneId', 'threadIdx.y']);
  }

  #expression(type: string, depth: number, shared: boolean): string {
    const vector = /^vec\((\w+), (\d)\)$/.exec(type);
    if (depth === 0 || this.#spent) {
      const leaves = [this.#constant(type), this.#local(type, true), ...(shared ? [] : [this.#local(type, false)])];
      if (type === 'u32') leaves.push(this.#builtin(shared));
      return this.#of(leaves);
    }
    const sub = (of: string): string => this.#expression(of, depth - 1, shared);
    const choose = (...options: readonly (() => string)[]): string => this.#of(options)();
    const select = (): string => `select(${sub('bool')}, ${sub(type)}, ${sub(type)})`;
    const leaf = (): string => this.#expression(type, 0, shared);
    if (vector !== null) {
      const [, element = 'u32', width = '2'] = vector;
      const parts = (): string =>
        Array.from({ length: Number(width) }, () => this.#expression(element, 0, shared)).join(', ');
      const arithmetic = (): string => `(${sub(type)} ${this.#of(['+', '-', '*'])} ${sub(type)})`;
      return choose(
        leaf,
        arithmetic,
        select,
        () => `${type}[${parts()}]`,
        () => {
          const index = this.#of([`${this.#below(Number(width))}:u32`, `(${sub('u32')} % ${width}:u32)`]);
          return `withLane(${sub(type)}, ${index}, ${sub(element)})`;
        },
      );
    }
    if (type === 'bool') {
      const of = this.#of(scalars.filter((s) => s !== 'bool'));
      return choose(
        leaf,
        () => `(${sub(of)} ${this.#of(['<', '<=', '==', '!=', '>', '>='])} ${sub(of)})`,
        () => `(${sub('bool')} ${this.#of(['&&', '||'])} ${sub('bool')})`,
        () => `(!${sub('bool')})`,
        () => `(${sub('bool')} != ${sub('bool')})`,
      );
    }
    const lane = (): string => {
      const from = types.filter((t) => t.includes(`(${type},`));
      const [first] = from;
      if (first === undefined) return leaf();
      return `lane(${sub(first)}, (${sub('u32')} % 2:u32))`;
    };
    const convert = (): string => `${type}(${sub(this.#of(scalars))})`;
    if (isFloatText(type)) {
      return choose(
        leaf,
        convert,
        select,
        lane,
        () => `(${sub(type)} ${this.#of(['+', '-', '*', '/'])} ${sub(type)})`,
        () => `${this.#of(['min', 'max'])}(${sub(type)}, ${sub(type)})`,
        () => `math.${this.#of(['abs', 'floor', 'sqrt', 'round', 'trunc', 'ceil'])}(${sub(type)})`,
        () => `math.fma(${sub(type)}, ${sub(type)}, ${sub(type)})`,
        () => `neg(${sub(type)})`,
      );
    }
    const wide = type === 'i64' || type === 'u64' ? 'n' : '';
    return choose(
      leaf,
      convert,
      select,
      lane,
      () => `(${sub(type)} ${this.#of(['+', '-', '*', '&', '|', '^', '<<', '>>'])} ${sub(type)})`,
      () => `(${sub(type)} ${this.#of(['+', '-', '*'])} ${sub(type)})`,
      () => `(${sub(type)} ${this.#of(['/', '%'])} ${this.#of(['3', '7', '16'])}${wide}:${type})`,
      () => `${this.#of(['min', 'max'])}(${sub(type)}, ${sub(type)})`,
      () =>
        this.#of([
          `neg(${sub(type)})`,
          `(~${sub(type)})`,
          `popcount(${sub(type)})`,
          `clz(${sub(type)})`,
          `ctz(${sub(type)})`,
        ]),
    );
  }

  #body(place: Place, most: number): void {
    const length = 1 + this.#below(most);
    for (let i = 0; i < length && !this.#spent; i++) this.#statement(place);
  }

  #assign(place: Place): void {
    const type = this.#of(types);
    const shared = place.together && this.#below(3) === 0;
    const target = this.#local(type, shared);
    if (!this.#reserved.has(Number(target.slice(1))))
      this.#add(place, `${target} = ${this.#expression(type, 1 + this.#below(3), shared)}`);
  }

  #memory(place: Place): void {
    const type = this.#of(types);
    const at = this.#below(Math.min(4, 64 / bytesOf[type]));
    const clean = isFloatText(type) ? this.#constant(type) : this.#expression(type, 2, false);
    const own = this.#local(type, false);
    this.#of<() => void>([
      () => this.#add(place, `store ${this.#slot(type, at)}, ${clean}`),
      () => this.#add(place, `${own} = load ${this.#slot(type, at)}`),
      () =>
        this.#add(
          place,
          `store (#1 +> (${this.#expression('u32', 1, false)} % 4:u32)), ${this.#expression('vec(u32, 2)', 1, false)}`,
        ),
      () => this.#add(place, `${this.#local('vec(u32, 2)', false)} = load (#1 +> ${this.#below(4)}:i32)`),
      () =>
        this.#add(
          place,
          `%3 = atomic add (window(u32, $1, $0.lsaRank:i32, ${40_960 + 4 * this.#below(8)}:addr) +> blockIdx.x), 1:u32 relaxed.device`,
          `%3 = 0:u32`,
        ),
      () =>
        this.#add(
          place,
          `store (window(u32, $1, $0.lsaRank:i32, ((addr(blockIdx.x) * 4096:addr) + 24576:addr)) +> threadLinear), ${this.#expression('u32', 2, false)}`,
        ),
    ])();
  }

  #statement(place: Place): void {
    const simple: (() => void)[] = [() => this.#assign(place), () => this.#assign(place), () => this.#memory(place)];
    if (place.together)
      simple.push(
        () => this.#exchange(place),
        () => this.#collective(place),
        () => this.#flags(place),
      );
    if (!place.together && this.#divergentWaits) simple.push(() => this.#divergent(place));
    if (place.inLoop) {
      const guard = (): string => this.#expression('bool', 1, place.together);
      simple.push(() =>
        this.#add(place, `if ${parenthesised(guard())} {`, `  ${this.#of(['break', 'continue'])}`, '}'),
      );
    }
    const nested =
      place.depth === 0
        ? []
        : [() => this.#if(place), () => this.#loop(place), () => this.#stride(place), () => this.#block(place)];
    this.#of([...simple, ...nested])();
  }

  /** Exchanges values with neighbours through the shared array. */
  #exchange(place: Place): void {
    const value = this.#expression('u32', 2, false);
    const from = `((threadLinear + ${this.#below(5)}:u32) % blockThreads)`;
    this.#add(
      place,
      'sync cta',
      `store (#0 +> threadLinear), ${value}`,
      'sync cta',
      `%3 = load (#0 +> ${from})`,
      'sync cta',
    );
  }

  #collective(place: Place): void {
    const type = this.#of(['u32', 'i32', 'f32', 'u64', 'vec(u32, 2)'] as const);
    const value = this.#expression(type, 2, false);
    const coop = this.#of(['tile(32)', 'tile(8)', 'tile(1)', 'lanes(4294967295:u32)']);
    const own = this.#local(type, false);
    const lane = this.#expression('u32', 1, false);
    this.#of<() => void>([
      () =>
        this.#add(
          place,
          `${own} = collective ${this.#of(['shfl', 'shflUp', 'shflDown', 'shflXor'])} ${coop} value ${value} lane ${lane}`,
        ),
      () => this.#add(place, `%3 = collective ballot ${coop} value ${this.#expression('bool', 2, false)}`),
      () =>
        this.#add(
          place,
          `%13 = collective ${this.#of(['any', 'all'])} ${coop} value ${this.#expression('bool', 2, false)}`,
        ),
      () =>
        this.#add(
          place,
          `%12 = collective ${this.#of(['any', 'all'])} cta value ${this.#expression('bool', 2, false)}`,
        ),
      () =>
        this.#add(
          place,
          `${this.#local(type, true)} = collective bcast cta value ${value} lane ${this.#of(['0:u32', '(blockIdx.x % 7:u32)', '6:u32'])}`,
        ),
      () => this.#add(place, `${own} = collective bcast ${coop} value ${value} lane 0:u32`),
    ])();
  }

  /** Signals every rank, and waits for all, each time with its own words. */
  #flags(place: Place): void {
    if (place.inLoop || this.#barriers >= 4 || place.depth < 3) return;
    const at = `((addr(blockIdx.x) * 64:addr) + ${45_056 + 1024 * this.#barriers++}:addr)`;
    const uses = this.#below(2) === 0;
    const index = `%${this.#counter('u32', false)}`;
    this.#add(
      place,
      'sync cta',
      'if (threadLinear < u32($0.lsaSize:i32)) {',
      `  store (window(u32, $1, i32(threadLinear), ${at}) +> $0.lsaRank:i32), 1:u32 release.system`,
      '}',
    );
    if (uses) {
      this.#add(
        place,
        `waitAll cta ${index} < u32($0.lsaSize:i32) {`,
        `  %3 = load (window(u32, $1, $0.lsaRank:i32, ${at}) +> ${index}) acquire.system`,
        '} until (%3 == 1:u32)',
        '%3 = 0:u32',
      );
    } else {
      this.#add(
        place,
        'wait {',
        `  %3 = load (window(u32, $1, $0.lsaRank:i32, ${at}) +> ($0.lsaSize:i32 - 1:i32)) acquire.system`,
        '} until (%3 == 1:u32)',
      );
    }
  }

  /** A thread waits for itself, or polls with atomics. */
  #divergent(place: Place): void {
    const slot = this.#slot('u32', 3);
    this.#of<() => void>([
      () =>
        this.#add(
          place,
          `store ${slot}, 5:u32`,
          'wait {',
          `  %3 = load ${slot} acquire.system`,
          '} until (%3 == 5:u32)',
        ),
      () =>
        this.#add(
          place,
          `%3 = collective shfl tile(1) value ${this.#expression('u32', 1, false)} lane 0:u32`,
          'sync tile(1)',
        ),
    ])();
  }

  #if(place: Place): void {
    const shared = place.together && this.#below(2) === 0;
    const inside: Place = { ...place, depth: place.depth - 1, together: shared, indent: `${place.indent}  ` };
    this.#add(place, `if ${parenthesised(this.#expression('bool', 2, shared))} {`);
    this.#body(inside, 3);
    if (this.#below(2) === 0) {
      this.#add(place, '} else {');
      this.#body(inside, 3);
    }
    this.#add(place, '}');
  }

  #counter(type: string, shared: boolean): number {
    return this.#locals.push({ name: shared ? 'i' : 'o', type }) - 1;
  }

  #loop(place: Place): void {
    const shared = place.together && this.#below(2) === 0;
    const id = this.#counter('u32', shared);
    this.#reserved.add(id);
    const bound = shared
      ? this.#of(['3:u32', '(blockIdx.x + 2:u32)', '12:u32'])
      : this.#of(['(threadLinear % 5:u32)', '(laneId & 3:u32)']);
    this.#add(place, `%${id} = 0:u32`, `loop while (%${id} < ${bound}) {`);
    // A break or continue that only some threads take makes them diverge.
    const inLoop = !shared || this.#below(3) === 0;
    this.#body({ depth: place.depth - 1, together: shared && !inLoop, inLoop, indent: `${place.indent}  ` }, 3);
    this.#add(place, `  ${this.#local('u64', false)} = (${this.#local('u64', false)} + u64(%${id}))`);
    this.#add(place, '} update {', `  %${id} = (%${id} + 1:u32)`, '}');
  }

  /** Each thread owns the elements `threadLinear + k * blockThreads` of its CTA's part. */
  #stride(place: Place): void {
    const type = this.#of(['u32', 'i32', 'u64', 'i64'] as const);
    const wide = type.endsWith('64') ? 'n' : '';
    const id = this.#counter(type, false);
    this.#reserved.add(id);
    const bound = this.#of([`100${wide}:${type}`, `${type}($2)`, `${type}((blockIdx.x + 65:u32))`]);
    const at = `(window(u32, $1, $0.lsaRank:i32, ((addr(blockIdx.x) * 4096:addr) + 24576:addr)) +> %${id})`;
    this.#add(place, `%${id} = ${type}(threadLinear)`, `loop while (%${id} < ${bound}) {`);
    this.#add(place, `  %3 = load ${at}`);
    const inside: Place = { depth: 0, together: false, inLoop: false, indent: `${place.indent}  ` };
    this.#body(inside, 3);
    if (this.#below(3) === 0) this.#add(place, `  if (%3 > 77:u32) {`, '    continue', '  }');
    this.#add(place, `  store ${at}, ${this.#expression('u32', 2, false)}`);
    this.#add(place, '} update {', `  %${id} = (%${id} + ${type}(blockThreads))`, '}');
  }

  #block(place: Place): void {
    const label = this.#labels++;
    const inside: Place = { ...place, depth: place.depth - 1, indent: `${place.indent}  ` };
    this.#add(place, `block ${label} {`);
    this.#body(inside, 3);
    const shared = place.together;
    this.#add(
      place,
      `  if ${parenthesised(this.#expression('bool', 1, shared && this.#below(2) === 0))} {`,
      `    leave ${label}`,
      '  }',
    );
    this.#body({ ...inside, together: false }, 2);
    this.#add(place, '}');
  }
}

function parenthesised(text: string): string {
  return text.startsWith('(') ? text : `(${text} == true)`;
}
