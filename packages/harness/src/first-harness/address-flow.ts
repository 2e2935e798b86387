import type { PtxInstruction, PtxOperand, PtxVariable } from '@nccl-ts/ptx';
import type { FlowAddress } from './flow-address.ts';
import { LocalMemory } from './local-memory.ts';

/** The place of a pointer: in a parameter, or in memory. */
interface Origin {
  readonly param: number;
  /** The memory that contains it; `undefined` for a parameter. */
  readonly parent?: string;
  readonly offset: number;
  readonly stride?: number;
  readonly depth: number;
}

/** An address that is in a parameter itself, or the address of a parameter. */
const MOST_DEPTH = 3;
const MOST_ADDRESSES = 8;
const MOST_ROUNDS = 64;

/** Instructions that copy or move an address. */
const moves = new Set(['mov', 'cvta', 'cvt', 'add', 'sub', 'mad', 'selp', 'and', 'or', 'min', 'max', 'shfl', 'prmt']);
/** Instructions of which an index is computed. */
const counts = new Set([...moves, 'mul', 'shl', 'shr', 'rem', 'div', 'xor', 'bfe', 'bfi', 'neg', 'not', 'abs']);

/**
 * Follows the addresses that parameters contain through the registers of an entry, and the words
 * that are loaded from them. The order of the instructions does not matter.
 */
export class AddressFlow {
  readonly #params: readonly PtxVariable[];
  readonly #addresses = new Map<string, Map<string, FlowAddress>>();
  /** The parameters, by index, whose integers a register depends on. */
  readonly #integers = new Map<string, ReadonlySet<number>>();
  /** By register: the constant by which it was multiplied. */
  readonly #factors = new Map<string, number>();
  readonly #origins = new Map<string, Origin>();
  readonly #indices = new Map<string, Set<number>>();
  /** By register: the byte of a parameter to which it points. */
  readonly #paramAddresses = new Map<
    string,
    { readonly param: number; readonly offset: number; readonly stride?: number }
  >();
  readonly #local = new LocalMemory();
  #hasChanged = true;

  constructor(params: readonly PtxVariable[], instructions: readonly PtxInstruction[]) {
    this.#params = params;
    for (let round = 0; this.#hasChanged && round < MOST_ROUNDS; round++) {
      this.#hasChanged = false;
      for (const instruction of instructions) this.#step(instruction);
    }
  }

  originOf(memory: string): Origin | undefined {
    return this.#origins.get(memory);
  }

  /** The parameters of which the index of a memory's pointer is computed. */
  indicesOf(memory: string): ReadonlySet<number> {
    return this.#indices.get(memory) ?? new Set();
  }

  /** The memory to which parameters point directly, in the order of the parameters. */
  roots(): readonly { readonly key: string; readonly param: number }[] {
    return [...this.#origins]
      .filter(([, { parent }]) => parent === undefined)
      .map(([key, { param, offset }]) => ({ key, param, offset }))
      .toSorted((a, b) => a.param - b.param || a.offset - b.offset);
  }

  /** The memory to which words of a memory point, by their offsets. */
  within(memory: string): readonly string[] {
    return [...this.#origins]
      .filter(([, { parent }]) => parent === memory)
      .toSorted(([, a], [, b]) => a.offset - b.offset)
      .map(([key]) => key);
  }

  /** The addresses that an operand in brackets may be. */
  addressesOf(operand: Extract<PtxOperand, { readonly kind: 'address' }>): readonly FlowAddress[] {
    if (operand.base?.kind !== 'register') return [];
    return [...(this.#addresses.get(operand.base.name)?.values() ?? [])].map((one) => ({
      ...one,
      offset: one.offset + Number(operand.offset),
    }));
  }

  /** The addresses that an operand may have as its value. */
  addressesIn(operand: PtxOperand): readonly FlowAddress[] {
    if (operand.kind === 'register') return [...(this.#addresses.get(operand.name)?.values() ?? [])];
    return operand.kind === 'vector' ? operand.elements.flatMap((one) => this.addressesIn(one)) : [];
  }

  #step({ words, operands }: PtxInstruction): void {
    const [opcode] = words;
    const [into, ...from] = operands;
    if (into === undefined) return;
    if (opcode === 'ld' || opcode === 'ldu') this.#load(words, into, from[0]);
    else if (opcode === 'st' && words.includes('local') && into.kind === 'address') {
      const values = from.flatMap((operand) => (operand.kind === 'vector' ? operand.elements : [operand]));
      for (const [i, value] of values.entries()) {
        for (const address of this.addressesIn(value)) {
          if (this.#local.keep(into, i, keyOf(address), address)) this.#hasChanged = true;
        }
      }
    } else if (into.kind === 'register' && counts.has(opcode)) this.#compute(opcode, words, into.name, from);
  }

  #load(words: readonly string[], into: PtxOperand, from: PtxOperand | undefined): void {
    if (from?.kind !== 'address') return;
    const registers = into.kind === 'vector' ? into.elements : [into];
    const bytes = Number(/\d+$/u.exec(words[words.length - 1] ?? '')?.[0] ?? 0) / 8;
    for (const [i, register] of registers.entries()) {
      if (register.kind !== 'register') continue;
      if (words.includes('local')) {
        if (bytes === 8) for (const address of this.#local.loaded(from, i)) this.#add(register.name, address);
        continue;
      }
      const place = this.#paramPlace(from);
      if (place !== undefined) {
        const offset = place.offset + Number(from.offset) + i * bytes;
        if (bytes === 8) this.#point(register.name, { ...place, offset, depth: 1 }, undefined);
        this.#count(register.name, new Set([place.param]));
        continue;
      }
      if (bytes !== 8) continue;
      for (const { memory, offset, stride } of this.addressesOf(from)) {
        const origin = this.#origins.get(memory);
        if (origin === undefined || origin.depth >= MOST_DEPTH) continue;
        const { param } = origin;
        const depth = origin.depth + 1;
        const place2: Origin = {
          param,
          parent: memory,
          offset: offset + i * 8,
          depth,
          ...(stride === undefined ? {} : { stride }),
        };
        const indices = from.base === undefined ? undefined : this.#integers.get(from.base.name);
        this.#point(register.name, place2, stride === undefined ? undefined : indices);
      }
    }
  }

  /** The parameter that an operand reads: by its name, or by an address in a register. */
  #paramPlace(
    from: Extract<PtxOperand, { readonly kind: 'address' }>,
  ): { readonly param: number; readonly offset: number; readonly stride?: number } | undefined {
    if (from.base?.kind === 'register') return this.#paramAddresses.get(from.base.name);
    const name = from.base?.name;
    const param = this.#params.findIndex((one) => one.name === name);
    return param < 0 ? undefined : { param, offset: 0 };
  }

  /** The register contains the pointer at a place. */
  #point(register: string, origin: Origin, indices: ReadonlySet<number> | undefined): void {
    const key = `${origin.parent ?? origin.param}>${origin.stride === undefined ? '' : `[${origin.stride}]`}${origin.offset}`;
    if (!this.#origins.has(key)) {
      this.#origins.set(key, origin);
      this.#hasChanged = true;
    }
    const known = this.#indices.get(key) ?? new Set<number>();
    for (const one of indices ?? []) known.add(one);
    this.#indices.set(key, known);
    this.#add(register, { memory: key, offset: 0 });
  }

  #compute(opcode: string, words: readonly string[], into: string, from: readonly PtxOperand[]): void {
    this.#multiply(opcode, into, from);
    const integers = from.flatMap((operand) =>
      operand.kind === 'register' ? [...(this.#integers.get(operand.name) ?? [])] : [],
    );
    if (integers.length > 0) this.#count(into, new Set(integers));
    if (!moves.has(opcode)) return;
    this.#moveParam(opcode, into, from);
    if (this.#local.move(opcode, into, from)) this.#hasChanged = true;
    // The factors of a multiplication are no addresses.
    const sources = opcode === 'mad' ? from.slice(2) : opcode === 'sub' ? from.slice(0, 1) : from;
    const [a, b] = from;
    for (const source of sources) {
      for (const address of this.addressesIn(source)) {
        const by = opcode === 'add' ? (source === a ? b : a) : opcode === 'sub' ? b : undefined;
        if (opcode === 'mad') this.#add(into, indexed(address, this.#factors.get(into)));
        else if (by === undefined) this.#add(into, address);
        else if (by.kind === 'integer') {
          const moved = Number(by.value) * (opcode === 'sub' ? -1 : 1);
          this.#add(into, { ...address, offset: address.offset + moved });
        } else if (by.kind === 'register') {
          // Of two numbers, one is the address: that which cvta has made, or which points to memory
          // already.
          this.#add(into, indexed(address, this.#factors.get(by.name)));
        }
      }
    }
  }

  #multiply(opcode: string, into: string, from: readonly PtxOperand[]): void {
    const [a, b] = from;
    if ((opcode === 'mul' || opcode === 'mad') && b?.kind === 'integer') this.#factors.set(into, Number(b.value));
    else if (opcode === 'shl' && b?.kind === 'integer') this.#factors.set(into, 2 ** Number(b.value));
    else if ((opcode === 'cvt' || opcode === 'mov') && a?.kind === 'register') {
      const factor = this.#factors.get(a.name);
      if (factor !== undefined) this.#factors.set(into, factor);
    }
  }

  /** Follows the address of a parameter, by which arrays in it are indexed. */
  #moveParam(opcode: string, into: string, from: readonly PtxOperand[]): void {
    const [a, b] = from;
    if (a?.kind === 'symbol') {
      const param = this.#params.findIndex(({ name }) => name === a.name);
      if (param >= 0) this.#placeAt(into, { param, offset: Number(a.offset) });
      return;
    }
    for (const [one, by] of [
      [a, b],
      [b, a],
    ] as const) {
      const place = one?.kind === 'register' ? this.#paramAddresses.get(one.name) : undefined;
      if (place === undefined) continue;
      if (opcode !== 'add' || by === undefined) this.#placeAt(into, place);
      else if (by.kind === 'integer') this.#placeAt(into, { ...place, offset: place.offset + Number(by.value) });
      else if (by.kind === 'register') this.#placeAt(into, { ...place, stride: this.#factors.get(by.name) ?? 0 });
    }
  }

  #placeAt(
    register: string,
    place: { readonly param: number; readonly offset: number; readonly stride?: number },
  ): void {
    if (this.#paramAddresses.has(register)) return;
    this.#paramAddresses.set(register, place);
    this.#hasChanged = true;
  }

  #add(register: string, address: FlowAddress): void {
    const known = this.#addresses.get(register) ?? new Map<string, FlowAddress>();
    this.#addresses.set(register, known);
    const ofMemory = [...known.values()].filter(({ memory }) => memory === address.memory);
    // A pointer that a loop moves on has an index.
    const kept = ofMemory.length >= MOST_ADDRESSES ? { memory: address.memory, offset: 0, stride: 0 } : address;
    const key = keyOf(kept);
    if (known.has(key) || ofMemory.length > MOST_ADDRESSES) return;
    known.set(key, kept);
    this.#hasChanged = true;
  }

  #count(register: string, params: ReadonlySet<number>): void {
    const known = this.#integers.get(register) ?? new Set<number>();
    if ([...params].every((one) => known.has(one))) return;
    this.#integers.set(register, new Set([...known, ...params]));
    this.#hasChanged = true;
  }
}

function indexed({ memory, offset }: FlowAddress, factor: number | undefined): FlowAddress {
  return { memory, offset, stride: factor ?? 0 };
}

function keyOf({ memory, offset, stride }: FlowAddress): string {
  return `${memory}:${offset}:${stride ?? ''}`;
}
