import { at as itemAt } from '@nccl-ts/core';
import type { ArrayBounds } from '@nccl-ts/ir';
import { RESOURCE_BASE } from '../memory/address-map.ts';
import { header, headerWords } from './launch-record.ts';
import { rawType } from './value-type.ts';

/** The target of an access. `any` means that the address selects window memory or resources. */
export type MemorySpace = 'heap' | 'resources' | 'any' | 'shared' | 'local';

export interface MemoryOptions {
  readonly checks: boolean;
  /** True if the words of window memory and of shared memory are atomics. */
  readonly atomicHeap: boolean;
  readonly atomicShared: boolean;
  /** True if shared arrays are too large for a workgroup, and are in the buffer of resources. */
  readonly sharedInResources: boolean;
  readonly sharedWords: number;
  readonly segments: number;
  /** The bytes of an element of window memory: the size of the smallest access, up to 16. */
  readonly heapElement: 4 | 8 | 16;
  readonly sharedBounds: readonly ArrayBounds[];
  readonly localBounds: readonly ArrayBounds[];
  readonly localWords: number;
  readonly threadsEach: number;
}

const hex = (value: number): string => `0x${value.toString(16)}u`;

/** The numbers of spaces in fault records. */
export const spaceNumbers: Readonly<Record<MemorySpace, number>> = Object.freeze({
  heap: 0,
  any: 0,
  resources: 0,
  shared: 1,
  local: 2,
});

/**
 * The functions with which a kernel accesses memory. Each is generated once, and only if it is
 * used. An address is in bytes, memory consists of words, and a value's bits are a `u32`, `vec2u`
 * or `vec4u`.
 */
export class MemoryFunctions {
  readonly options: MemoryOptions;
  readonly #texts = new Map<string, string>();

  constructor(options: MemoryOptions) {
    this.options = options;
  }

  /** `(p: nts_ptr, site: u32) -> raw` */
  load(space: MemorySpace, bytes: number): string {
    return this.#define(`nts_load_${space}_${bytes}`, (name) => {
      const raw = rawType(bytes);
      if (space === 'any') return this.#either(name, raw, '', (one) => `${this.load(one, bytes)}(p, site)`);
      const loaded = this.#loadText(space, bytes);
      return [
        `fn ${name}(p: nts_ptr, site: u32) -> ${raw} {`,
        `  let a = ${this.checkedIndex(space, bytes)};`,
        `  return ${loaded};`,
        '}',
      ].join('\n');
    });
  }

  /** `(p: nts_ptr, raw, site: u32)` */
  store(space: MemorySpace, bytes: number): string {
    return this.#define(`nts_store_${space}_${bytes}`, (name) => {
      const raw = rawType(bytes);
      if (space === 'any')
        return this.#either(name, '', `value: ${raw}, `, (one) => `${this.store(one, bytes)}(p, value, site)`);
      return [
        `fn ${name}(p: nts_ptr, value: ${raw}, site: u32) {`,
        `  let a = ${this.checkedIndex(space, bytes)};`,
        ...this.#storeLines(space, bytes),
        '}',
      ].join('\n');
    });
  }

  /** `(a: u32) -> u32`: the word at an address. */
  get(space: MemorySpace): string {
    return this.#define(`nts_get_${space}`, (name) => {
      if (space === 'any') return this.#branch(name, '', 'u32', (one) => `${this.get(one)}(a)`);
      return this.#overSegments(
        name,
        space,
        '',
        'u32',
        (buffer, at) => `result = ${this.#word(space, `${buffer}[${at}]`)};`,
      );
    });
  }

  /** `(a: u32, value: u32)` */
  set(space: MemorySpace): string {
    return this.#define(`nts_set_${space}`, (name) => {
      if (space === 'any') return this.#branch(name, ', value: u32', '', (one) => `${this.set(one)}(a, value)`);
      return this.#overSegments(name, space, ', value: u32', '', (buffer, at) =>
        this.#setWord(space, `${buffer}[${at}]`, 'value'),
      );
    });
  }

  /** `(a: u32, from: u32, to: u32) -> vec2u`: the previous word, and if it was exchanged. */
  exchange(space: MemorySpace): string {
    return this.#define(`nts_exchange_${space}`, (name) => {
      if (space === 'any')
        return this.#branch(name, ', old: u32, new_: u32', 'vec2u', (one) => `${this.exchange(one)}(a, old, new_)`);
      return this.#overSegments(name, space, ', old: u32, new_: u32', 'vec2u', (buffer, at) =>
        this.isAtomic(space)
          ? `let r = atomicCompareExchangeWeak(&${buffer}[${at}], old, new_); result = vec2u(r.old_value, select(0u, 1u, r.exchanged));`
          : `let r = ${buffer}[${at}]; if (r == old) { ${buffer}[${at}] = new_; } result = vec2u(r, select(0u, 1u, r == old));`,
      );
    });
  }

  /** Sets only the bits of `mask` to those of `value`: `(a: u32, value: u32, mask: u32)`. */
  blend(space: MemorySpace): string {
    return this.#define(`nts_blend_${space}`, (name) => {
      const parameters = ', value: u32, mask: u32';
      if (space === 'any') return this.#branch(name, parameters, '', (one) => `${this.blend(one)}(a, value, mask)`);
      return this.#overSegments(name, space, parameters, '', (buffer, at) =>
        // Threads that change the word at the same time change other bits of it, so these keep
        // their value.
        this.isAtomic(space)
          ? `atomicXor(&${buffer}[${at}], (atomicLoad(&${buffer}[${at}]) ^ value) & mask);`
          : `${buffer}[${at}] = (${buffer}[${at}] & ~mask) | (value & mask);`,
      );
    });
  }

  /**
   * `(a: u32) -> raw`: returns the words of an access of `bytes`. They are in one buffer, which is
   * selected once for all of them.
   */
  #getSeveral(space: MemorySpace, bytes: number): string {
    const raw = rawType(bytes);
    return this.#define(`nts_get_${space}_${bytes}`, (name) =>
      this.#overSegments(name, space, '', raw, (buffer, at) => {
        const words = Array.from({ length: bytes / 4 }, (_, i) => this.#word(space, `${buffer}[i + ${i}u]`));
        return `let i = ${at}; result = ${raw}(${words.join(', ')});`;
      }),
    );
  }

  /** `(a: u32, value: raw)`: likewise for a store. */
  #setSeveral(space: MemorySpace, bytes: number): string {
    return this.#define(`nts_set_${space}_${bytes}`, (name) =>
      this.#overSegments(name, space, `, value: ${rawType(bytes)}`, '', (buffer, at) => {
        const words = Array.from({ length: bytes / 4 }, (_, i) =>
          this.#setWord(space, `${buffer}[i + ${i}u]`, `value[${i}]`),
        );
        return `let i = ${at}; ${words.join(' ')}`;
      }),
    );
  }

  /** True if an access must select one of several buffers. */
  #isSpread(space: MemorySpace): boolean {
    return space === 'heap' && this.options.segments > 0;
  }

  #word(space: MemorySpace, word: string): string {
    return this.isAtomic(space) ? `atomicLoad(&${word})` : word;
  }

  #setWord(space: MemorySpace, word: string, value: string): string {
    return this.isAtomic(space) ? `atomicStore(&${word}, ${value});` : `${word} = ${value};`;
  }

  /** Returns the text of a pointer's address. */
  address(pointer: string): string {
    return this.options.checks ? `${pointer}.x` : pointer;
  }

  /**
   * Returns the buffer of the CTA's shared arrays, and the element that is word `index` of them.
   */
  sharedWord(index: string): [buffer: string, at: string] {
    const { sharedInResources, sharedWords } = this.options;
    if (!sharedInResources) return ['nts_shared', index];
    return ['nts_resources', `nts_record[nts_base + ${header.arrays}u] + nts_cta * ${sharedWords}u + (${index})`];
  }

  isAtomic(space: MemorySpace): boolean {
    if (space === 'heap') return this.options.atomicHeap;
    return space === 'shared' ? this.options.atomicShared || this.options.sharedInResources : space !== 'local';
  }

  text(): string {
    return [...this.#texts.values()].join('\n\n');
  }

  #define(name: string, write: (name: string) => string): string {
    if (!this.#texts.has(name)) {
      const text = write(name);
      this.#texts.set(name, text);
    }
    return name;
  }

  /**
   * Returns the address of an access of `bytes` through `p`: an unused one if the access is not
   * allowed.
   */
  checkedIndex(space: MemorySpace, bytes: number): string {
    return this.options.checks ? `${this.#check(space)}(p, ${bytes}u, site)` : 'p';
  }

  /**
   * `(p: nts_ptr, bytes: u32, site: u32) -> u32`. It has no branches, because some compilers take
   * very long over many of them.
   */
  #check(space: MemorySpace): string {
    const name = `nts_check_${space}`;
    return this.#define(name, () => {
      const global = space !== 'shared' && space !== 'local';
      const bounds = global
        ? ['  let low = nts_record[p.y];', '  let high = nts_record[p.y + 1u];']
        : this.#arrayBounds(space);
      const where = spaceNumbers[space] === 0 ? '' : ` | ${spaceNumbers[space] * 256}u`;
      return [
        `fn ${name}(p: nts_ptr, bytes: u32, site: u32) -> u32 {`,
        ...bounds,
        '  let outside = (p.x < low) | (p.x > high) | (high - p.x < bytes);',
        '  let crooked = (p.x & (bytes - 1u)) != 0u;',
        `  let what = select(nts_misaligned, nts_out_of_bounds, outside) | (bytes << 16u)${where};`,
        '  nts_fault_access(site, select(0u, what, outside | crooked), p.x, low);',
        `  return select(p.x, ${space === 'resources' ? hex(RESOURCE_BASE) : '0u'}, outside | crooked);`,
        '}',
      ].join('\n');
    });
  }

  #arrayBounds(space: 'shared' | 'local'): readonly string[] {
    const table = space === 'shared' ? this.options.sharedBounds : this.options.localBounds;
    const entries = table.map(({ low, high }) => `vec2u(${low}u, ${high}u)`).join(', ');
    return [
      `  var table = array<vec2u, ${table.length}>(${entries});`,
      `  let low = table[p.y].x;`,
      '  let high = table[p.y].y;',
    ];
  }

  /** The elements of window memory that an access consists of, if these are larger than words. */
  #wide(space: MemorySpace, bytes: number): readonly string[] | undefined {
    const { heapElement } = this.options;
    if (space !== 'heap' || heapElement === 4) return undefined;
    const shift = heapElement === 8 ? 3 : 4;
    const first = `nts_heap[a >> ${shift}u]`;
    return bytes === heapElement ? [first] : [first, `nts_heap[(a >> ${shift}u) + 1u]`];
  }

  #loadText(space: MemorySpace, bytes: number): string {
    const wide = this.#wide(space, bytes);
    if (wide !== undefined) return wide.length === 1 ? itemAt(wide, 0) : `vec4u(${wide.join(', ')})`;
    if (bytes > 4 && this.#isSpread(space)) return `${this.#getSeveral(space, bytes)}(a)`;
    const get = this.get(space);
    switch (bytes) {
      case 1:
        return `(${get}(a) >> ((a & 3u) * 8u)) & 0xffu`;
      case 2:
        return `(${get}(a) >> ((a & 2u) * 8u)) & 0xffffu`;
      case 4:
        return `${get}(a)`;
      case 8:
        return `vec2u(${get}(a), ${get}(a + 4u))`;
      default:
        return `vec4u(${get}(a), ${get}(a + 4u), ${get}(a + 8u), ${get}(a + 12u))`;
    }
  }

  #storeLines(space: MemorySpace, bytes: number): readonly string[] {
    const wide = this.#wide(space, bytes);
    if (wide !== undefined) {
      return wide.map(
        (element, i) => `  ${element} = ${wide.length === 1 ? 'value' : `value.${i === 0 ? 'xy' : 'zw'}`};`,
      );
    }
    if (bytes < 4) {
      const mask = bytes === 1 ? '0xffu' : '0xffffu';
      return [
        `  let shift = (a & ${bytes === 1 ? 3 : 2}u) * 8u;`,
        `  ${this.blend(space)}(a, value << shift, ${mask} << shift);`,
      ];
    }
    if (bytes > 4 && this.#isSpread(space)) return [`  ${this.#setSeveral(space, bytes)}(a, value);`];
    const set = this.set(space);
    if (bytes === 4) return [`  ${set}(a, value);`];
    return Array.from({ length: bytes / 4 }, (_, i) => `  ${set}(a + ${4 * i}u, value[${i}]);`);
  }

  #either(name: string, result: string, parameter: string, act: (space: MemorySpace) => string): string {
    return this.#choose(`fn ${name}(p: nts_ptr, ${parameter}site: u32)`, this.address('p'), result, act);
  }

  #branch(name: string, parameters: string, result: string, act: (space: MemorySpace) => string): string {
    return this.#choose(`fn ${name}(a: u32${parameters})`, 'a', result, act);
  }

  /**
   * Functions have one exit and select without `else`, because some compilers take very long over
   * other forms.
   */
  #choose(head: string, address: string, result: string, act: (space: MemorySpace) => string): string {
    const set = result === '' ? '' : 'result = ';
    return [
      `${head}${result === '' ? '' : ` -> ${result}`} {`,
      ...(result === '' ? [] : [`  var result: ${result};`]),
      `  if (${address} >= ${hex(RESOURCE_BASE)}) { ${set}${act('resources')}; }`,
      `  if (${address} < ${hex(RESOURCE_BASE)}) { ${set}${act('heap')}; }`,
      ...(result === '' ? [] : ['  return result;']),
      '}',
    ].join('\n');
  }

  /**
   * Emits a function on one word, in any bound buffer. `act` returns statements, the last of which
   * may set `result`.
   */
  #overSegments(
    name: string,
    space: MemorySpace,
    parameters: string,
    result: string,
    act: (buffer: string, at: string) => string,
  ): string {
    const { localWords, threadsEach, segments } = this.options;
    const frame = (lines: readonly string[]): string =>
      [
        `fn ${name}(a: u32${parameters})${result === '' ? '' : ` -> ${result}`} {`,
        ...(result === '' ? [] : [`  var result: ${result};`]),
        ...lines.map((line) => `  ${line}`),
        ...(result === '' ? [] : ['  return result;']),
        '}',
      ].join('\n');
    switch (space) {
      case 'resources':
      case 'any':
        return frame([act('nts_resources', `(a - ${hex(RESOURCE_BASE)}) >> 2u`)]);
      case 'shared':
        return frame([act(...this.sharedWord('a >> 2u'))]);
      case 'local':
        return frame([act('nts_local', threadsEach > 1 ? `${localWords}u * nts_k + (a >> 2u)` : 'a >> 2u')]);
      case 'heap':
        break;
    }
    const own = act('nts_heap', 'a >> 2u');
    if (segments === 0) return frame([own]);
    const base = (i: number): string => `nts_record[nts_base + ${headerWords + i}u]`;
    // A segment extends to the start of the next one. There is no `else`, as everywhere.
    const parts = Array.from({ length: segments }, (_, i) => {
      const before = i === segments - 1 ? '' : ` & (a < ${base(i + 1)})`;
      return `if ((a >= ${base(i)})${before}) { ${act(`nts_segment_${i}`, `(a - ${base(i)}) >> 2u`)} }`;
    });
    return frame([`if (a < ${base(0)}) { ${own} }`, ...parts]);
  }
}
