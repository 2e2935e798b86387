import { at, wordTable } from '@nccl-ts/core';
import { ncclLayouts } from './adapters/nccl.ts';
import { ncclCalls } from './calls/nccl-calls.ts';
import { devCommArgument } from './dev-comm-argument.ts';
import type { EntryFacts, ParameterFacts } from './entry-facts.ts';

/** An argument that an adapter creates. */
export interface KnownArgument {
  /** A description for people. */
  readonly what: string;
  /** The argument, as text. */
  readonly text: string;
  /** The statements before it. */
  readonly memory: readonly string[];
  /** The names that it imports from the package. */
  readonly imports: readonly string[];
}

/** The number of elements of an allocation. */
export const COUNT = "todo('the number of elements')";

/** The choices for the memory that a pointer points to. */
export function ownersText(allocation: string): string {
  return `${allocation} for this rank's own memory, or peer(${allocation}, r) for that of rank r`;
}

/** Leaves the choice to the author. */
export function ownerTodo(allocation: string): string {
  return `todo('whose memory', ${allocation}, peer(${allocation}, rank))`;
}

/** Returns the parameter that is an `ncclDevComm` of the stand-in headers. */
export function standInDevComm({ calls, parameters }: EntryFacts): ParameterFacts | undefined {
  if (!calls.some((name) => ncclCalls.has(name))) return undefined;
  return parameters.find(({ isStruct, bytes }) => isStruct && bytes === devCommArgument.type.bytes);
}

/**
 * Returns the arguments that adapters can create from the names of the parameters' types, by
 * parameter. These are types of NCCL's device API, and pointers to numbers and to pointers. A
 * kernel of the stand-in headers gets its device communicator from the harness, and allocations as
 * windows.
 */
export function knownArguments(facts: EntryFacts): ReadonlyMap<number, KnownArgument> {
  const { title, parameters } = facts;
  const types = parameters.some(({ declared }) => declared !== undefined)
    ? parameters.map(({ declared }) => declared?.type ?? '')
    : parameterTypes(title);
  const names = parameterNames(facts);
  const known = new Map<number, KnownArgument>();
  const devComm = standInDevComm(facts);
  const comm = types.indexOf('ncclDevComm');
  const bytes = parameters[comm]?.bytes;
  const version = Object.entries(ncclLayouts).find(([, layout]) => layout.bytes === bytes)?.[0] ?? '2.30';
  for (const [i, type] of types.entries()) {
    const data = at(names, i);
    if (devComm !== undefined && type === 'ncclWindow_vidmem *') {
      known.set(i, {
        what: 'a window. Pass an allocation.',
        text: data,
        memory: [`const ${data} = alloc('${data}', f32, ${COUNT}, (i) => rank + i);`],
        imports: ['f32', 'todo'],
      });
    } else if (type === 'ncclWindow_vidmem *') {
      known.set(i, {
        what: 'a window of NCCL.',
        text: `${data}Window`,
        memory: [
          `const ${data} = alloc('${data}', f32, ${COUNT}, (i) => rank + i);`,
          `const ${data}Window = ncclWindow(setup, ${data}, { version: '${version}' });`,
        ],
        imports: ['f32', 'ncclWindow', 'todo'],
      });
    } else if (type.endsWith('* *')) {
      const element = elementOf(type.slice(0, -1)) ?? 'u8';
      known.set(i, {
        what: 'a table of pointers in memory, one for each rank.',
        text: data,
        memory: [
          `const ${data}Memory = alloc('${data}Memory', ${element}, ${COUNT});`,
          `const ${data} = alloc('${data}', ptr, ranks.map((r) => peer(${data}Memory, r)));`,
        ],
        imports: [element, 'ptr', 'todo'],
      });
    } else if (
      type.endsWith('*') &&
      elementOf(type) !== undefined &&
      (elementOf(type) !== 'f32' || parameters[i]?.declared !== undefined)
    ) {
      const element = elementOf(type) ?? 'u8';
      const isByte = element === 'u8' || element === 'i8';
      known.set(i, {
        what: `a pointer to ${type.slice(0, -2)}. Write ${ownersText(data)}.`,
        text: ownerTodo(data),
        memory: [`const ${data} = alloc('${data}', ${element}, ${COUNT}, (i) => ${isByte ? 'i % 2' : 'rank + i'});`],
        imports: [element, 'todo'],
      });
    } else if (byName(parameters[i]) !== undefined) {
      const text = byName(parameters[i]) ?? '';
      const what = text === 'rank' ? 'this rank, by its name.' : 'the number of ranks, by its name.';
      known.set(i, { what, text, memory: [], imports: [] });
    } else if (type === 'ncclDevComm') {
      known.set(i, {
        what: `the device communicator of NCCL ${version}, with as many barriers as the kernel has CTAs.`,
        text: `ncclDevComm(setup, { version: '${version}', lsaBarriers: 1 })`,
        memory: [],
        imports: ['ncclDevComm'],
      });
    }
  }
  // The name of its type is not checked, because the text of a C function contains none.
  if (devComm !== undefined) {
    const what = 'the device communicator.';
    known.set(parameters.indexOf(devComm), { what, text: 'devComm', memory: [], imports: [] });
  }
  return known;
}

/** The names of the allocations for the parameters: those of the source, or numbers. */
export function parameterNames({ parameters }: EntryFacts): readonly string[] {
  return parameters.map(({ declared }, i) => {
    if (declared === undefined) return `data${i}`;
    return taken.has(declared.name) || taken.has(declared.name.toLowerCase()) ? `${declared.name}${i}` : declared.name;
  });
}

/** Names of a setup, of the package, and of the language. */
const taken: ReadonlySet<string> = new Set(
  `i r rank ranks nranks alloc peer devcomm setup launch multicast local todo harness struct array bytes ptr expect
  i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 in new delete default function var let const class export import this
  with yield await arguments eval void null true false`.split(/\s+/u),
);

/** An integer that its name says: the own rank, or the number of ranks. */
function byName(parameter: ParameterFacts | undefined): string | undefined {
  if (parameter?.declared === undefined || parameter.isStruct || parameter.words[0]?.guess !== 'integer')
    return undefined;
  const name = parameter.declared.name.toLowerCase().replaceAll('_', '');
  if (/^(?:my|local|cur|current|this)?(?:rank|pe|mype)(?:id|idx)?$/u.test(name)) return 'rank';
  return /^(?:n|num|nr)(?:ranks|pes|gpus)$|^(?:world|tp|group|team)size$/u.test(name) ? 'nRanks' : undefined;
}

const elements: Readonly<Record<string, string>> = wordTable({
  bool: 'u8',
  'signed char': 'i8',
  'unsigned char': 'u8',
  short: 'i16',
  'unsigned short': 'u16',
  int: 'i32',
  'unsigned int': 'u32',
  long: 'i64',
  'unsigned long': 'u64',
  'long long': 'i64',
  'unsigned long long': 'u64',
  float: 'f32',
  double: 'f64',
  int8_t: 'i8',
  uint8_t: 'u8',
  int16_t: 'i16',
  uint16_t: 'u16',
  int32_t: 'i32',
  uint32_t: 'u32',
  int64_t: 'i64',
  uint64_t: 'u64',
  size_t: 'u64',
  unsigned: 'u32',
  half: 'f16',
  nv_bfloat16: 'bf16',
  __half: 'f16',
  __nv_bfloat16: 'bf16',
});

/** The element type of a pointer, as a type of the package. */
function elementOf(pointer: string): string | undefined {
  const name = pointer
    .slice(0, pointer.lastIndexOf('*'))
    .replaceAll(/\b(?:const|volatile)\b/g, '')
    .trim();
  return Object.hasOwn(elements, name) ? elements[name] : undefined;
}

/** The types of the parameters of a demangled function. */
function parameterTypes(title: string): readonly string[] {
  const end = title.lastIndexOf(')');
  let depth = 0;
  let from = end;
  const types: string[] = [];
  for (let i = end - 1; i >= 0; i--) {
    const c = title[i];
    if (c === '>' || c === ')') depth++;
    else if (depth > 0 && (c === '<' || c === '(')) depth--;
    else if (depth === 0 && (c === ',' || c === '(')) {
      types.unshift(title.slice(i + 1, from).trim());
      from = i;
      if (c === '(') break;
    }
  }
  return types;
}
