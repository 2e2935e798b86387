import { demangle, type PtxFunction, type PtxModule, type PtxVariable } from '@nccl-ts/ptx';
import { deviceCalls } from './calls/device-calls.ts';
import { at } from '@nccl-ts/core';
import { namedBy } from './named-by.ts';
import { placesRead, threadBounds, type PlacesRead, type ThreadBound } from './launch-shape.ts';
import { layOutParameters } from './parameter-bytes.ts';
import { sourceParameters, type SourceParameter } from './source-parameters.ts';
import { parameterWords, type ParameterWord } from './parameter-words.ts';

/** The facts about an entry that a launch needs. */
export interface EntryFacts {
  /** The name in the PTX text. */
  readonly name: string;
  /** The demangled name. */
  readonly title: string;
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
  /** The `.global` variables that it uses. Every rank has its own copies. */
  readonly variables: readonly PtxVariable[];
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
  const declared = declaredIn(module, title, placed.length, source);
  const named = namedBy(module, entry);
  const variables = [...module.variables, ...(entry.body?.variables ?? [])].filter(({ name }) => named.has(name));
  const undefinedHere = module.functions.flatMap(({ name, body }) =>
    body === undefined && named.has(name) ? name : [],
  );
  const shared = variables.filter(({ space }) => space === 'shared');
  return {
    name: entry.name,
    title,
    parameters: placed.map(({ name, offset, variable }, i) => ({
      name,
      offset,
      bytes: variable.bytes,
      align: variable.align,
      isStruct: variable.length !== undefined,
      ...(declared === undefined ? {} : { declared: at(declared, i) }),
      words: parameterWords(entry, variable),
    })),
    parameterBytes: bytes,
    sharedBytes: shared.reduce((sum, variable) => sum + variable.bytes, 0),
    hasDynamicShared: shared.some((variable) => variable.isExtern && variable.bytes === 0),
    threads: threadBounds(entry),
    places: placesRead(module, entry),
    variables: variables.filter(({ space }) => space === 'global'),
    calls: undefinedHere.filter((name) => deviceCalls.has(name)),
    externs: undefinedHere.filter((name) => !deviceCalls.has(name)),
  };
}

/** The parameters that one of the module's source files declares. */
function declaredIn(
  { files }: PtxModule,
  title: string,
  count: number,
  source: (path: string) => string | undefined,
): readonly SourceParameter[] | undefined {
  const name = /(\w+)(?:<.*>)?(?:\(.*\))?$/su.exec(title)?.[1];
  if (name === undefined) return undefined;
  for (const file of files.values()) {
    const text = source(file);
    const declared = text?.includes(name) === true ? sourceParameters(text, name) : undefined;
    if (declared?.length === count) return declared;
  }
  return undefined;
}
