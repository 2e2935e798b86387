import { local, pointerCast, scalarType, type Expression, type LocalId, type Span, type Statement } from '@nccl-ts/ir';
import type { PtxOperand, PtxType, PtxVariable } from '../syntax/module.ts';
import { bytesOf } from './instruction-parts.ts';
import type { InstructionLowering } from './lower-instruction.ts';
import { elementScalarOf, assignWidened } from './widened.ts';
import { u32Constant, type ModuleBuilder } from './module-builder.ts';
import type { ParamRanges } from './param-ranges.ts';
import { unsignedOf } from './scalar-bits.ts';

/** The byte offsets of the entry's parameters, and the variables of calls as locals. */
export class ParamMemory {
  readonly #ranges: ParamRanges;
  readonly #builder: ModuleBuilder;
  readonly #entry: ReadonlyMap<string, { readonly offset: number; readonly variable: PtxVariable }>;
  readonly #pieces = new Map<string, LocalId>();

  constructor(builder: ModuleBuilder, entryParams: readonly PtxVariable[], ranges: ParamRanges) {
    this.#builder = builder;
    this.#ranges = ranges;
    this.#entry = paramOffsets(entryParams);
  }

  /** Loads or stores a variable that is not in memory. Returns false for others. */
  access(
    isLoad: boolean,
    address: PtxOperand,
    elements: readonly PtxOperand[],
    type: PtxType,
    lowering: InstructionLowering,
  ): boolean {
    const range = this.#ranges.of(address);
    if (range === undefined) return false;
    const entry = this.#entry.get(range.variable);
    if (entry === undefined && this.#ranges.inMemory.has(range.variable)) return false;
    const size = bytesOf(type);
    elements.forEach((element, index) => {
      const scalar = elementScalarOf(type, [element], lowering);
      const at = range.offset + index * size;
      if (entry !== undefined) {
        if (!isLoad) lowering.fail('P2005', `${range.variable} is a parameter of the kernel and cannot be stored to`);
        if (at < 0 || at + size > entry.variable.bytes) {
          lowering.fail(
            'P3002',
            `byte ${at} of ${range.variable} is past its end: it has ${entry.variable.bytes} bytes`,
          );
        }
        assignWidened(element, this.#builder.param(entry.offset + at, scalar), type, lowering);
        return;
      }
      const piece = this.#piece(range.variable, at, size, lowering);
      if (isLoad) assignWidened(element, local(piece, scalarType(unsignedOf(size))), type, lowering);
      else lowering.set(piece, lowering.value(element, unsignedOf(size)));
    });
    return true;
  }

  /** The whole variable that a call passes, as a local. */
  variable({ name, bytes }: PtxVariable, lowering: InstructionLowering): Expression {
    if (this.#ranges.inMemory.has(name) || ![1, 2, 4, 8].includes(bytes)) {
      return lowering.fail('P2004', `the call must pass a single number as ${name}`);
    }
    return local(this.#piece(name, 0, bytes, lowering), scalarType(unsignedOf(bytes)));
  }

  #piece(variable: string, at: number, bytes: number, lowering: InstructionLowering): LocalId {
    const key = `${variable}+${at}`;
    let id = this.#pieces.get(key);
    if (id === undefined) {
      id = lowering.local(variable, scalarType(unsignedOf(bytes)));
      this.#pieces.set(key, id);
    }
    return id;
  }

  /** Copies the parameters whose addresses are computed to memory. */
  prologue(span: Span): readonly Statement[] {
    const statements: Statement[] = [];
    for (const [name, { offset, variable }] of this.#entry) {
      const base = this.#builder.layout.local.offsets.get(name);
      if (base === undefined) continue;
      for (let at = 0; at < variable.bytes;) {
        const bytes = pieceAt(offset + at, variable.bytes - at);
        const type = scalarType(unsignedOf(bytes));
        const pointer = pointerCast(type, this.#builder.inMemory('local', u32Constant(base + at)));
        statements.push({ kind: 'store', pointer, value: this.#builder.param(offset + at, type.scalar), span });
        at += bytes;
      }
    }
    return statements;
  }
}

/** The largest word that begins at `at` and has at most `left` bytes. */
function pieceAt(at: number, left: number): number {
  let bytes = 8;
  while (at % bytes !== 0 || bytes > left) bytes /= 2;
  return bytes;
}

/** Parameters are adjacent, and each is aligned. */
export function paramOffsets(
  params: readonly PtxVariable[],
): ReadonlyMap<string, { readonly offset: number; readonly variable: PtxVariable }> {
  const offsets = new Map<string, { offset: number; variable: PtxVariable }>();
  let end = 0;
  for (const variable of params) {
    end = Math.ceil(end / variable.align) * variable.align;
    offsets.set(variable.name, { offset: end, variable });
    end += variable.bytes;
  }
  return offsets;
}
