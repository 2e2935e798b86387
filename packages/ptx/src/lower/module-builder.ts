import type { ScalarKind } from '@nccl-ts/core';
import {
  addressPointer,
  array,
  builtin,
  compare,
  constant,
  param,
  pointerCast,
  pointerOffset,
  scalarType,
  vectorType,
  type ArrayDeclaration,
  type ClusterSize,
  type Expression,
  type Local,
  type LocalId,
  type Param,
  type Span,
  type Statement,
  type Type,
} from '@nccl-ts/ir';
import type { HandleParam } from '@nccl-ts/kernel';
import type { ImportedParam } from '../import-options.ts';
import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import type { FreshNames } from '../flow/flow-graph.ts';
import type { PtxInstruction, PtxVariable } from '../syntax/module.ts';
import type { LaidOut, MemoryLayout } from './memory-layout.ts';

/** The parts of a module other than its body. They are created on request. */
export class ModuleBuilder implements FreshNames {
  readonly locals: Local[] = [];
  readonly arrays: ArrayDeclaration[] = [];
  readonly params: Param[] = [];
  readonly imported: ImportedParam[] = [];
  readonly diagnostics: PtxDiagnostic[] = [];
  /** The locals whose values are unknown from the start. */
  readonly unknown: Set<LocalId> = new Set();
  readonly layout: MemoryLayout;
  /** True if launches may pass multicast addresses. */
  readonly hasMulticast: boolean;
  /** The clusters of the launch. */
  readonly cluster: ClusterSize | undefined;
  readonly #span: Span;
  readonly #paramIds = new Map<string, number>();
  readonly #memories = new Map<'shared' | 'local', Expression>();
  readonly #words = new Map<string, Expression>();
  readonly #ownWords = new Map<string, LocalId>();
  readonly #ownArrays = new Map<string, Expression>();
  readonly #weakLoads = new Map<Span, PtxInstruction>();
  readonly #zeros: Statement[] = [];
  #labels = 0;
  #sessions = 0;

  constructor(layout: MemoryLayout, span: Span, hasMulticast = false, cluster?: ClusterSize) {
    this.layout = layout;
    this.hasMulticast = hasMulticast;
    this.cluster = cluster;
    this.#span = span;
  }

  local(name: string, type: Type, span: Span = this.#span): LocalId {
    return this.locals.push({ name, type, span }) - 1;
  }

  label(): number {
    return this.#labels++;
  }

  /** Returns a new number for a session. */
  session(): number {
    return this.#sessions++;
  }

  /** A handle that the launch passes. All calls share the handle of this name. */
  handle(name: string, type: Type, handle: HandleParam): Expression {
    return this.#param(name, type, { kind: 'handle', name, type: handle });
  }

  /** The bytes of the entry's parameters from `offset` on. */
  param(offset: number, scalar: ScalarKind): Expression {
    const name = `param_${offset}_${scalar}`;
    return this.#param(name, scalarType(scalar), { kind: 'bytes', name, offset, scalar });
  }

  /** The address of a variable in global memory, a u64. */
  variable(variable: PtxVariable): Expression {
    const { name } = variable;
    return this.#param(name, scalarType('u64'), { kind: 'variable', name, variable });
  }

  #param(name: string, type: Type, imported: ImportedParam): Expression {
    let id = this.#paramIds.get(name);
    if (id === undefined) {
      id = this.params.push({ name, type }) - 1;
      this.imported.push(imported);
      this.#paramIds.set(name, id);
    }
    return param(id, type);
  }

  /** A pointer to byte 0 of the memory that contains all variables of a space. */
  memory(space: 'shared' | 'local'): Expression {
    const known = this.#memories.get(space);
    if (known !== undefined) return known;
    const laidOut: LaidOut = this.layout[space];
    // Elements of 16 bytes, so that addresses that are aligned in PTX are aligned here.
    const length = Math.max(1, Math.ceil(laidOut.bytes / 16));
    const declaration = { name: space, space, element: vectorType('u32', 4), length, span: this.#span };
    const id = this.arrays.push(declaration) - 1;
    const made = pointerCast(scalarType('u8'), array(id, declaration));
    this.#memories.set(space, made);
    return made;
  }

  /**
   * Words in shared memory that the text does not contain. They are 0 before its first instruction
   * runs.
   */
  sharedWords(name: string, length: number): Expression {
    const known = this.#words.get(name);
    if (known !== undefined) return known;
    const declaration = { name, space: 'shared', element: scalarType('u32'), length, span: this.#span } as const;
    const words = array(this.arrays.push(declaration) - 1, declaration);
    this.#words.set(name, words);
    for (let i = 0; i < length; i++) {
      const pointer = pointerOffset(words, u32Constant(i));
      this.#zeros.push({ kind: 'store', pointer, value: u32Constant(0), span: this.#span });
    }
    return words;
  }

  /**
   * A word of each thread that the text does not contain. It is 0 before its first instruction
   * runs.
   */
  ownWord(name: string): LocalId {
    const known = this.#ownWords.get(name);
    if (known !== undefined) return known;
    const id = this.local(name, scalarType('u32'));
    this.#ownWords.set(name, id);
    return id;
  }

  /** An array of each thread that the text does not contain. */
  ownArray(name: string, scalar: ScalarKind, length: number): Expression {
    const known = this.#ownArrays.get(name);
    if (known !== undefined) return known;
    const declaration = { name, space: 'local', element: scalarType(scalar), length, span: this.#span } as const;
    const made = array(this.arrays.push(declaration) - 1, declaration);
    this.#ownArrays.set(name, made);
    return made;
  }

  /** Records the first load without an order at a span. */
  noteWeakLoad(span: Span, instruction: PtxInstruction): void {
    if (!this.#weakLoads.has(span)) this.#weakLoads.set(span, instruction);
  }

  weakLoadAt(span: Span): PtxInstruction | undefined {
    return this.#weakLoads.get(span);
  }

  /** The statements before the text's own instructions. */
  prologue(): readonly Statement[] {
    const span = this.#span;
    const words = [...this.#ownWords.values()].map((id): Statement => ({
      kind: 'assign',
      local: id,
      value: u32Constant(0),
      span,
    }));
    if (this.#zeros.length === 0) return words;
    const condition = compare('eq', builtin('threadLinear'), u32Constant(0));
    return [
      ...words,
      { kind: 'if', condition, then: this.#zeros, else: [], span },
      { kind: 'sync', coop: { kind: 'cta' }, span },
    ];
  }

  /** The pointer to bytes at offset `at`, a u32, of a space's memory. */
  inMemory(space: 'shared' | 'local', at: Expression): Expression {
    const memory = this.memory(space);
    return at.kind === 'constant' && at.value === 0 ? memory : pointerOffset(memory, at);
  }
}

/** A pointer to bytes at a device address. */
export function bytesAt(address: Expression): Expression {
  return addressPointer(scalarType('u8'), address);
}

export function u32Constant(value: number): Expression {
  return constant('u32', value >>> 0);
}
