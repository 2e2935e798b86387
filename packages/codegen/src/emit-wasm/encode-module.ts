import { at, NcclError } from '@nccl-ts/core';
import type { WasmCode, Instruction } from './instruction.ts';
import { signedLeb, unsignedLeb } from './leb128.ts';
import { blockOps, branchOps, laneOps, localOps, memoryOps, plainOps, valueTypes, type WasmType } from './opcodes.ts';
import type { WasmFunction, WasmImport, WasmModule } from './wasm-module.ts';

/** Bytes of one part of a module. */
type Bytes = readonly number[];

const external = { function: 0x00, table: 0x01, memory: 0x02 } as const;
const magic: Bytes = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const emptyBlock = 0x40;
const functionType = 0x60;
const functionReference = 0x70;

/** Returns the bytes of `module`, in WebAssembly's binary format with 128-bit vectors. */
export function encodeModule({
  imports,
  functions,
  shared = false,
  table = false,
}: WasmModule): Uint8Array<ArrayBuffer> {
  const types = new TypeTable();
  const callable = [...imports, ...functions];
  const indices = new Map(callable.map((f, index) => [f.name, index]));
  const typeIndices = callable.map((f) => types.index(f));
  const memoryEntry = [...name('env'), ...name('memory'), external.memory, ...memoryType(shared)];
  const tableEntry = [...name('env'), ...name('table'), external.table, functionReference, 0x00, ...unsignedLeb(0)];
  const entries = functions.map((_, i) => unsignedLeb(at(typeIndices, imports.length + i)));
  const bodies = functions.map((f) => functionBody(f, { functions: indices, types }));
  const sections = [
    section(1, types.entries),
    section(2, [
      memoryEntry,
      ...(table ? [tableEntry] : []),
      ...imports.map((f, i) => importEntry(f, at(typeIndices, i))),
    ]),
    section(3, entries),
    section(
      7,
      functions.flatMap((f, i) =>
        f.exported ? [[...name(f.name), external.function, ...unsignedLeb(imports.length + i)]] : [],
      ),
    ),
    section(10, bodies),
  ];
  return Uint8Array.from([magic, ...sections].flat());
}

/**
 * The largest number of pages of a memory with 32-bit addresses. A shared memory must declare it.
 */
export const MOST_PAGES = 65536;

function memoryType(shared: boolean): Bytes {
  return shared ? [0x03, ...unsignedLeb(0), ...unsignedLeb(MOST_PAGES)] : [0x00, ...unsignedLeb(0)];
}

class TypeTable {
  readonly entries: Bytes[] = [];
  readonly #known = new Map<string, number>();

  index({ params, results }: Pick<WasmImport, 'params' | 'results'>): number {
    const key = `${params.join()}->${results.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const entry = [functionType, ...vector(params.map(typeByte)), ...vector(results.map(typeByte))];
    this.#known.set(key, this.entries.length);
    return this.entries.push(entry) - 1;
  }
}

function typeByte(type: WasmType): Bytes {
  return [valueTypes[type]];
}

function vector(items: readonly Bytes[]): Bytes {
  return [...unsignedLeb(items.length), ...items.flat()];
}

function section(id: number, items: readonly Bytes[]): Bytes {
  const content = vector(items);
  return [id, ...unsignedLeb(content.length), ...content];
}

function name(text: string): Bytes {
  return vector([...new TextEncoder().encode(text)].map((byte) => [byte]));
}

function importEntry(f: WasmImport, type: number): Bytes {
  return [...name('env'), ...name(f.name), external.function, ...unsignedLeb(type)];
}

function functionBody(f: WasmFunction, known: ModuleNames): Bytes {
  // Neighbours of the same type share an entry.
  const runs: { type: WasmType; count: number }[] = [];
  for (const type of f.locals) {
    const last = runs.at(-1);
    if (last?.type === type) last.count++;
    else runs.push({ type, count: 1 });
  }
  const locals = vector(runs.map(({ type, count }) => [...unsignedLeb(count), valueTypes[type]]));
  const content = [...locals, ...encodeCode(f.code, known), plainOps.end];
  return [...unsignedLeb(content.length), ...content];
}

/** The names that instructions may use. */
interface ModuleNames {
  readonly functions: ReadonlyMap<string, number>;
  readonly types: TypeTable;
}

/** Returns the bytes of `code`, in which every block must be closed. */
function encodeCode(code: WasmCode, known: ModuleNames): Bytes {
  const labels: number[] = [];
  return code.flatMap((instruction) => {
    const bytes = instructionBytes(instruction, labels, known);
    if (isBlock(instruction)) labels.push(instruction.label);
    if (instruction.op === 'end') labels.pop();
    return bytes;
  });
}

function opcode(code: number): Bytes {
  return code < 0x10000 ? [code] : [code >>> 16, ...unsignedLeb(code & 0xffff)];
}

/**
 * Encodes one instruction, with all tables complete. A name that is in no table is a bug of the
 * emitter.
 */
function instructionBytes(
  instruction: Instruction,
  labels: readonly number[],
  { functions, types }: ModuleNames,
): Bytes {
  if (isBlock(instruction)) {
    const { result } = instruction;
    return [blockOps[instruction.op], result === undefined ? emptyBlock : valueTypes[result]];
  }
  switch (instruction.op) {
    case 'i32.const':
      return [0x41, ...signedLeb(instruction.value)];
    case 'i64.const':
      return [0x42, ...signedLeb(instruction.value)];
    case 'f32.const':
      return [0x43, ...littleEndian(4, (view) => view.setFloat32(0, numberOf(instruction.value), true))];
    case 'f64.const':
      return [0x44, ...littleEndian(8, (view) => view.setFloat64(0, numberOf(instruction.value), true))];
    case 'v128.const':
      return [...opcode(0xfd000c), ...instruction.bytes];
    case 'call':
      return [0x10, ...unsignedLeb(indexOf(functions.get(instruction.callee), instruction.callee))];
    case 'call_indirect':
      return [0x11, ...unsignedLeb(types.index(instruction)), 0x00];
    case 'br':
    case 'br_if': {
      const depth = labels.toReversed().indexOf(instruction.label);
      return [branchOps[instruction.op], ...unsignedLeb(indexOf(depth < 0 ? undefined : depth, 'a label'))];
    }
    case 'memory.copy':
      return [0xfc, 0x0a, 0x00, 0x00];
    case 'memory.fill':
      return [0xfc, 0x0b, 0x00];
    case 'local.get':
    case 'local.set':
    case 'local.tee':
      return [localOps[instruction.op], ...unsignedLeb(instruction.local)];
    default:
      if ('lane' in instruction) return [...opcode(laneOps[instruction.op]), instruction.lane];
      if ('align' in instruction) {
        const { align, offset } = instruction;
        return [...opcode(memoryOps[instruction.op]), Math.log2(align), ...unsignedLeb(offset)];
      }
      return opcode(plainOps[instruction.op]);
  }
}

function littleEndian(bytes: number, write: (view: DataView) => void): Bytes {
  const view = new DataView(new ArrayBuffer(bytes));
  write(view);
  return [...new Uint8Array(view.buffer)];
}

/** A NaN from a computation may have a sign, but a literal NaN has none. */
function numberOf(value: number): number {
  return Number.isNaN(value) ? Number.NaN : value;
}

function isBlock(
  instruction: Instruction,
): instruction is Extract<Instruction, { readonly op: 'block' | 'loop' | 'if' }> {
  return instruction.op === 'block' || instruction.op === 'loop' || instruction.op === 'if';
}

function indexOf(index: number | undefined, what: string): number {
  if (index === undefined)
    throw new NcclError('NCCL_INTERNAL_ERROR', `WebAssembly refers to ${what}, which does not exist.`);
  return index;
}
