import { demangle, type PtxFunction, type PtxInstruction, type PtxModule, type PtxVariable } from '@nccl-ts/ptx';
import { deviceCalls } from '../calls/device-calls.ts';
import { at } from '@nccl-ts/core';
import { namedBy, symbolsAndRegistersOf } from '../named-by.ts';
import { placesRead, threadBounds, type PlacesRead, type ThreadBound } from '../launch-shape.ts';
import { parameterTypes } from './element-types.ts';
import { shortTitleOf } from '../short-title.ts';
import { declaredIn, fieldsIn } from './source-facts.ts';
import { layOutParameters } from '../parameter-bytes.ts';
import type { NcclVersion } from '../adapters/nccl.ts';
import { ncclVersionOf } from './nccl-version.ts';
import { reachedMemory, type ReachedMemory } from './reached-memory.ts';
import type { SourceParameter } from './source-parameters.ts';
import type { SourceField } from './source-structs.ts';
import { parameterWords, type ParameterWord } from '../parameter-words.ts';

/** The facts about an entry that a launch needs. */
export interface EntryFacts {
  /** The name in the PTX text. */
  readonly name: string;
  /** The demangled name. */
  readonly title: string;
  /** A part of the name that no other entry of the text has: `allReduce<float, 2>`. */
  readonly shortTitle: string;
  readonly parameters: readonly ParameterFacts[];
  /** The size of all parameters together, in bytes. */
  readonly parameterBytes: number;
  /** The size of static shared memory, in bytes. */
  readonly sharedBytes: number;
  /** True if it has `extern __shared__` memory, whose size the launch sets. */
  readonly hasDynamicShared: boolean;
  /** Bounds on the threads of a CTA (`.reqntid`, `.maxntid`), each with its numbers. */
  readonly threads: readonly ThreadBound[];
  /** The places of a launch that it distinguishes. */
  readonly places: PlacesRead;
  /** True if it has a barrier of all threads of a CTA. */
  readonly synchronizesCta: boolean;
  /** The `.global` variables that it uses. Every rank has its own copies. */
  readonly variables: readonly PtxVariable[];
  /** The memory that it reaches through its parameters. */
  readonly reached: readonly ReachedMemory[];
  /**
   * The type of its floating point arithmetic, as a type of the package: `bf16`, `f16` or `f32`.
   */
  readonly floats?: string;
  /** The index of the integer parameter by which alone it indexes tables of pointers. */
  readonly rankParameter?: number;
  /** The CTAs of a cluster by axis, if the kernel fixes it. */
  readonly cluster?: readonly number[];
  /** The version of NCCL with whose headers it was compiled. */
  readonly ncclVersion?: NcclVersion;
  /** The names of its template parameters in the source. */
  readonly templateNames?: readonly string[];
  /** The functions of the stand-in headers that it calls. */
  readonly calls: readonly string[];
  /** The other functions that it calls and that the text does not define. */
  readonly externs: readonly string[];
}

export interface ParameterFacts {
  /** The name in the PTX text. */
  readonly name: string;
  readonly offset: number;
  readonly bytes: number;
  readonly align: number;
  readonly isStruct: boolean;
  /** True if an instruction names it. */
  readonly isRead: boolean;
  /** The fields of a struct as the source declares them, if that is known. */
  readonly fields?: readonly SourceField[];
  /** The parameter as the source of the kernel declares it, if that is known. */
  readonly declared?: SourceParameter;
  /** The words of the parameter that the entry reads, by offset, with a guess of their meaning. */
  readonly words: readonly ParameterWord[];
}

/**
 * Finds the facts about an entry. `source` returns the text of a file that the PTX names, or
 * `undefined`. With it, parameters have the names and types of the source.
 */
export function entryFacts(
  module: PtxModule,
  entry: PtxFunction,
  source: (path: string) => string | undefined = () => undefined,
): EntryFacts {
  const { placed, bytes } = layOutParameters(entry.params);
  const title = demangle(entry.name);
  const kernel = declaredIn(module, title, placed.length, source);
  const types = parameterTypes(title);
  const named = namedBy(module, entry);
  const read = new Set(instructions(entry).flatMap(({ operands }) => operands.flatMap(symbolsAndRegistersOf)));
  const reached = reachedMemory(entry);
  const floats = floatsOf(entry);
  const ncclVersion = ncclVersionOf(module, source);
  const rankParameter = rankParameterOf(reached);
  const cluster = entry.directives.get('.reqnctapercluster');
  const variables = [...module.variables, ...(entry.body?.variables ?? [])].filter(({ name }) => named.has(name));
  const undefinedHere = module.functions.flatMap(({ name, body }) =>
    body === undefined && named.has(name) ? name : [],
  );
  const shared = variables.filter(({ space }) => space === 'shared');
  const wordsAndFields = (variable: PtxVariable, type: string | undefined) => {
    const words = parameterWords(entry, variable);
    return { words, ...fieldsIn(module, variable, words, type, source) };
  };
  return {
    name: entry.name,
    title,
    shortTitle: shortTitleOf(module, title),
    parameters: placed.map(({ name, offset, variable }, i) => ({
      name,
      offset,
      bytes: variable.bytes,
      align: variable.align,
      isStruct: variable.length !== undefined,
      isRead: read.has(variable.name),
      ...(kernel === undefined ? {} : { declared: at(kernel.parameters, i) }),
      ...wordsAndFields(variable, types[i] ?? kernel?.parameters[i]?.type),
    })),
    parameterBytes: bytes,
    sharedBytes: shared.reduce((sum, variable) => sum + variable.bytes, 0),
    hasDynamicShared: shared.some((variable) => variable.isExtern && variable.bytes === 0),
    threads: threadBounds(entry),
    places: placesRead(module, entry),
    synchronizesCta: [entry, ...module.functions.filter(({ name: other }) => named.has(other))].some((one) =>
      instructions(one).some(isCtaBarrier),
    ),
    reached,
    ...(floats === undefined ? {} : { floats }),
    ...(rankParameter === undefined ? {} : { rankParameter }),
    ...(cluster === undefined ? {} : { cluster }),
    ...(ncclVersion === undefined ? {} : { ncclVersion }),
    ...(kernel?.templates === undefined ? {} : { templateNames: kernel.templates }),
    variables: variables.filter(({ space }) => space === 'global'),
    calls: undefinedHere.filter((name) => deviceCalls.has(name)),
    externs: undefinedHere.filter((name) => !deviceCalls.has(name)),
  };
}

function instructions({ body }: PtxFunction): readonly PtxInstruction[] {
  return (body?.items ?? []).flatMap((item): readonly PtxInstruction[] => (item.kind === 'instruction' ? [item] : []));
}

function isCtaBarrier({ words: [opcode, kind] }: PtxInstruction): boolean {
  return (opcode === 'bar' && kind !== 'warp') || (opcode === 'barrier' && kind !== 'cluster');
}

function floatsOf(entry: PtxFunction): string | undefined {
  const words = new Set(instructions(entry).flatMap((one) => one.words));
  return ['bf16', 'f16', 'f32'].find((type) => [...words].some((word) => word === type || word === `${type}x2`));
}

/** The parameter by which tables of pointers are indexed, if it is one integer. */
function rankParameterOf(reached: readonly ReachedMemory[]): number | undefined {
  const found = new Set<number>();
  const add = (memory: ReachedMemory, root: number): void => {
    const by = [...memory.indexedBy].filter((one) => one !== root);
    const [only] = by;
    if (memory.stride === 8 && by.length === 1 && only !== undefined) found.add(only);
    for (const one of memory.pointers) add(one, root);
  };
  for (const one of reached) if (typeof one.from === 'number') add(one, one.from);
  const [rank, ...others] = found;
  return others.length === 0 ? rank : undefined;
}
