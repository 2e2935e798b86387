import { wordTable } from '@nccl-ts/core';
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
  const types = parameterTypes(title);
  const known = new Map<number, KnownArgument>();
  const devComm = standInDevComm(facts);
  const comm = types.indexOf('ncclDevComm');
  const bytes = parameters[comm]?.bytes;
  const version = Object.entries(ncclLayouts).find(([, layout]) => layout.bytes === bytes)?.[0] ?? '2.30';
  for (const [i, type] of types.entries()) {
    if (devComm !== undefined && type === 'ncclWindow_vidmem *') {
      known.set(i, {
        what: 'a window. Pass an allocation.',
        text: `data${i}`,
        memory: [`const data${i} = alloc('data${i}', f32, ${COUNT}, (i) => rank + i);`],
        imports: ['f32', 'todo'],
      });
    } else if (type === 'ncclWindow_vidmem *') {
      known.set(i, {
        what: 'a window of NCCL.',
        text: `window${i}`,
        memory: [
          `const data${i} = alloc('data${i}', f32, ${COUNT}, (i) => rank + i);`,
          `const window${i} = ncclWindow(setup, data${i}, { version: '${version}' });`,
        ],
        imports: ['f32', 'ncclWindow', 'todo'],
      });
    } else if (type.endsWith('* *')) {
      const element = elementOf(type.slice(0, -1)) ?? 'u8';
      known.set(i, {
        what: 'a table of pointers in memory, one for each rank.',
        text: `data${i}`,
        memory: [
          `const memory${i} = alloc('memory${i}', ${element}, ${COUNT});`,
          `const data${i} = alloc('data${i}', ptr, ranks.map((r) => peer(memory${i}, r)));`,
        ],
        imports: [element, 'ptr', 'todo'],
      });
    } else if (type.endsWith('*') && elementOf(type) !== undefined && elementOf(type) !== 'f32') {
      const element = elementOf(type) ?? 'u8';
      const isByte = element === 'u8' || element === 'i8';
      known.set(i, {
        what: `a pointer to ${type.slice(0, -2)}. Write ${ownersText(`data${i}`)}.`,
        text: ownerTodo(`data${i}`),
        memory: [`const data${i} = alloc('data${i}', ${element}, ${COUNT}, (i) => ${isByte ? 'i % 2' : 'rank + i'});`],
        imports: [element, 'todo'],
      });
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
  for (let at = end - 1; at >= 0; at--) {
    const c = title[at];
    if (c === '>' || c === ')') depth++;
    else if (depth > 0 && (c === '<' || c === '(')) depth--;
    else if (depth === 0 && (c === ',' || c === '(')) {
      types.unshift(title.slice(at + 1, from).trim());
      from = at;
      if (c === '(') break;
    }
  }
  return types;
}
