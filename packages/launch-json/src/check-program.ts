import { devCommFields } from '@nccl-ts/devcomm';
import { lengthOf } from './base64-bytes.ts';
import { elementBytes } from './element-bytes.ts';
import { isCommField } from './image-of-json.ts';
import { programError, type JsonKey } from './program-error.ts';
import type {
  AddressJson,
  ArgumentJson,
  ByRankJson,
  ContentsJson,
  ExpectJson,
  ImageJson,
  KernelJson,
  MemoryJson,
  ProgramJson,
  RankJson,
  RanWorldJson,
  StepJson,
} from './program-json.ts';

type Path = readonly JsonKey[];

/**
 * Checks what the parts of a program say of each other: that names exist, that bytes have the right
 * length, and that addresses are inside of their memory.
 *
 * @throws NcclError `NCCLTS_PROGRAM` for the first problem.
 */
export function checkProgram(program: ProgramJson): void {
  if ((program.kernel === undefined) === (program.kernels === undefined)) {
    throw programError([], 'must have either kernel, for one kernel, or kernels.');
  }
  if (program.kernel !== undefined) checkKernel(program, program.kernel, ['kernel']);
  for (const [name, kernel] of Object.entries(program.kernels ?? {})) checkKernel(program, kernel, ['kernels', name]);
  const seen = new Set<number>();
  for (const [i, world] of program.worlds.entries()) {
    const path = ['worlds', i];
    if (seen.has(world.ranks)) throw programError([...path, 'ranks'], `is ${world.ranks} for a second time.`);
    seen.add(world.ranks);
    if (!('why' in world)) new WorldCheck(program, world, path).check();
  }
}

function checkKernel(program: ProgramJson, { text }: KernelJson, path: Path): void {
  checkTexts(program, text, [...path, 'text']);
}

function checkTexts({ texts }: ProgramJson, text: ByRankJson | undefined, path: Path): void {
  const all = text === undefined ? [] : typeof text === 'string' ? [text] : text;
  for (const [rank, one] of all.entries()) {
    if (one === null || Object.hasOwn(texts, one)) continue;
    const known = Object.keys(texts).join(', ');
    throw programError(
      typeof text === 'string' ? path : [...path, rank],
      `is ${JSON.stringify(one)}, and texts has ${known === '' ? 'none' : known}.`,
    );
  }
}

/** The checks of a program with one number of ranks. */
class WorldCheck {
  readonly #program: ProgramJson;
  readonly #world: RanWorldJson;
  readonly #path: Path;
  readonly #memory = new Map<string, MemoryJson>();

  constructor(program: ProgramJson, world: RanWorldJson, path: Path) {
    this.#program = program;
    this.#world = world;
    this.#path = path;
  }

  check(): void {
    const { ranks, memory, programs, kernels = {} } = this.#world;
    for (const [i, one] of memory.entries()) {
      if (this.#memory.has(one.name)) {
        throw programError([...this.#path, 'memory', i, 'name'], `is ${JSON.stringify(one.name)} for a second time.`);
      }
      this.#memory.set(one.name, one);
    }
    for (const [i, one] of memory.entries()) this.#contents(one, [...this.#path, 'memory', i, 'contents']);
    this.#oneForEachRank(programs, [...this.#path, 'programs'], 'a program');
    for (const [name, { text, entry }] of Object.entries(kernels)) {
      const path = [...this.#path, 'kernels', name];
      checkTexts(this.#program, text, [...path, 'text']);
      for (const [field, list] of [
        ['text', text],
        ['entry', entry],
      ] as const) {
        if (typeof list === 'object')
          this.#oneForEachRank(list, [...path, field], `a${field === 'text' ? '' : 'n'} ${field}`);
      }
    }
    const named = Object.entries(this.#program.kernels ?? { kernel: this.#program.kernel });
    for (const [name, kernel] of named) {
      const path = this.#program.kernels === undefined ? ['kernel'] : ['kernels', name];
      const own = kernels[this.#program.kernels === undefined ? '' : name];
      for (const field of ['text', 'entry'] as const) {
        const list = own?.[field] ?? kernel?.[field];
        if (typeof list === 'object' && list.length !== ranks) {
          throw programError([...path, field], `has ${list.length} elements; it needs one for each of ${ranks} ranks.`);
        }
      }
    }
    for (const [rank, one] of programs.entries()) this.#rank(one, [...this.#path, 'programs', rank]);
  }

  #oneForEachRank(list: readonly unknown[], path: Path, what: string): void {
    const { ranks } = this.#world;
    if (list.length === ranks) return;
    throw programError(path, `has ${list.length} elements; it needs ${what} for each of ${ranks} ranks.`);
  }

  #contents(memory: MemoryJson, path: Path): void {
    const { contents } = memory;
    const bytes = memory.count * elementBytes(memory);
    if (contents === undefined) return;
    if (!isList(contents)) {
      this.#content(contents, memory, bytes, path);
      return;
    }
    this.#oneForEachRank(contents, path, 'contents');
    for (const [rank, one] of contents.entries()) {
      if (one !== null) this.#content(one, memory, bytes, [...path, rank]);
    }
  }

  #content(contents: ContentsJson, { name, count }: MemoryJson, bytes: number, path: Path): void {
    if (contents === 'uninitialised') return;
    if ('values' in contents) {
      if (contents.values.length === count) return;
      throw programError(
        [...path, 'values'],
        `has ${contents.values.length} numbers, and '${name}' has ${count} elements.`,
      );
    }
    if (contents.base64 !== undefined && lengthOf(contents.base64) !== bytes) {
      throw programError([...path, 'base64'], `has ${lengthOf(contents.base64)} bytes, and '${name}' has ${bytes}.`);
    }
    this.#image(contents, bytes, path);
  }

  #image({ addresses = [], fields = [] }: ImageJson, bytes: number, path: Path): void {
    for (const [i, one] of addresses.entries()) {
      const here = [...path, 'addresses', i];
      this.#address(one, here);
      const size = one.part === 'page below 4 GiB' ? 4 : 8;
      if (one.at + size > bytes) throw programError([...here, 'at'], outside(one.at, size, bytes));
    }
    for (const [i, { at, bytes: size, field }] of fields.entries()) {
      if (typeof field === 'string' && !isCommField(field)) {
        const known = Object.keys(devCommFields).join(', ');
        throw programError([...path, 'fields', i, 'field'], `is ${JSON.stringify(field)}; the fields are ${known}.`);
      }
      if (at + size > bytes) throw programError([...path, 'fields', i, 'at'], outside(at, size, bytes));
    }
  }

  #address({ memory, rank, offset = 0 }: AddressJson, path: Path, bytes = 1): void {
    const found = this.#named(memory, path);
    if (typeof rank === 'number' && rank >= this.#world.ranks) {
      throw programError([...path, 'rank'], `is ${rank}, and there are ${this.#world.ranks} ranks, from 0.`);
    }
    const size = found.count * elementBytes(found);
    if (offset + bytes <= size) return;
    const problem =
      bytes === 1
        ? `is ${offset}, and '${memory}' has ${size} bytes.`
        : `is ${offset}; ${bytes} bytes from there are not inside the ${size} bytes of '${memory}'.`;
    throw programError([...path, 'offset'], problem);
  }

  #named(name: string, path: Path): MemoryJson {
    const found = this.#memory.get(name);
    if (found !== undefined) return found;
    const known = [...this.#memory.keys()].join(', ');
    throw programError(
      [...path, 'memory'],
      `is ${JSON.stringify(name)}; there is ${known === '' ? 'no memory' : known}.`,
    );
  }

  #rank(rank: RankJson, path: Path): void {
    const { launches = 1, kernels } = this.#program;
    const [list, lists] =
      kernels === undefined ? (['args', 'argsByLaunch'] as const) : (['steps', 'stepsByLaunch'] as const);
    if ((rank[list] === undefined) === (rank[lists] === undefined)) {
      throw programError(
        path,
        `must have either ${list} or ${lists}, because the program has ${kernels === undefined ? 'kernel' : 'kernels'}.`,
      );
    }
    const byLaunch = rank[lists];
    if (byLaunch !== undefined && byLaunch.length < launches) {
      throw programError([...path, lists], `has ${byLaunch.length} lists, and there are ${launches} launches.`);
    }
    this.#args(rank.args ?? [], [...path, 'args']);
    for (const [i, one] of (rank.argsByLaunch ?? []).entries()) this.#args(one, [...path, 'argsByLaunch', i]);
    this.#steps(rank.steps ?? [], [...path, 'steps']);
    for (const [i, one] of (rank.stepsByLaunch ?? []).entries()) this.#steps(one, [...path, 'stepsByLaunch', i]);
    for (const [i, one] of (rank.between ?? []).entries()) this.#steps(one, [...path, 'between', i]);
    for (const [i, one] of (rank.expect ?? []).entries()) this.#expect(one, [...path, 'expect', i]);
  }

  #args(args: readonly ArgumentJson[], path: Path): void {
    for (const [i, one] of args.entries()) {
      if (typeof one !== 'object' || one === null) continue;
      if ('memory' in one) this.#address(one, [...path, i]);
      else if ('tensorMap' in one) this.#address(one.tensorMap.base, [...path, i, 'tensorMap', 'base']);
      else this.#image(one, lengthOf(one.base64), [...path, i]);
    }
  }

  #steps(steps: readonly StepJson[], path: Path): void {
    for (const [i, one] of steps.entries()) this.#step(one, [...path, i]);
  }

  #step(step: StepJson, path: Path): void {
    switch (step.kind) {
      case 'launch': {
        const names = Object.keys(this.#program.kernels ?? {});
        if (!names.includes(step.kernel)) {
          throw programError(
            [...path, 'kernel'],
            `is ${JSON.stringify(step.kernel)}; the kernels are ${names.join(', ')}.`,
          );
        }
        this.#args(step.args, [...path, 'args']);
        break;
      }
      case 'memcpy':
        this.#address(step.to, [...path, 'to'], step.bytes);
        this.#address(step.from, [...path, 'from'], step.bytes);
        break;
      case 'memset':
        this.#address(step.to, [...path, 'to'], step.bytes);
        break;
      case 'writeWord':
        this.#address(step.to, [...path, 'to'], step.bytes ?? 4);
        break;
      case 'waitWord':
        this.#address(step.from, [...path, 'from'], step.bytes ?? 4);
        break;
      case 'write': {
        const length = lengthOf(step.contents.base64);
        this.#address({ memory: step.memory, offset: step.offset }, path, length);
        this.#image(step.contents, length, [...path, 'contents']);
        break;
      }
      case 'expect':
        this.#expect(step, path);
        break;
      default:
    }
  }

  #expect({ memory, from = 0, values, base64 }: ExpectJson, path: Path): void {
    const found = this.#named(memory, path);
    if ((values === undefined) === (base64 === undefined)) {
      throw programError(path, 'must have either values or base64.');
    }
    const size = elementBytes(found);
    const count = values?.length ?? lengthOf(base64 ?? '') / size;
    if (!Number.isInteger(count)) {
      throw programError([...path, 'base64'], `has ${count * size} bytes, and elements of '${memory}' have ${size}.`);
    }
    if (from + count <= found.count) return;
    throw programError(path, `expects ${count} elements from element ${from} on, and '${memory}' has ${found.count}.`);
  }
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function outside(at: number, size: number, bytes: number): string {
  return `is ${at}; ${size} bytes from there are not inside the ${bytes} bytes.`;
}
