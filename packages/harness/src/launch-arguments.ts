import { decodeArray, emptyWordTable, scalarInfo } from '@nccl-ts/core';
import type { DevComm } from '@nccl-ts/communicator';
import { gridWorkspace } from '@nccl-ts/ptx';
import type { LaunchAttributes } from '@nccl-ts/transport';
import { imageBytes, type RankAddresses } from './memory/memory-image.ts';
import { invalid } from './memory/memory-type.ts';
import { parameterBytes } from './parameter-bytes.ts';
import type { HarnessArgument } from './memory/harness-argument.ts';
import type { TranslatedEntry } from './translated-entry.ts';

/** The parts of a rank that its launches need, apart from the arguments of the harness. */
export interface LaunchPlaces {
  readonly addresses: RankAddresses;
  /** The address of a `.global` variable of the kernel's text. */
  readonly variable: (name: string) => bigint;
  readonly handles: ReadonlyMap<string, DevComm>;
}

/** The arguments of the translated kernel. */
export function launchArguments(
  { entry, params }: TranslatedEntry,
  given: readonly HarnessArgument[],
  { addresses, variable, handles }: LaunchPlaces,
): Readonly<Record<string, number | bigint | boolean | DevComm>> {
  const bytes = imageBytes(parameterBytes(entry.params, given, entry.name), addresses);
  const args = emptyWordTable<number | bigint | boolean | DevComm>();
  for (const param of params) {
    if (param.kind === 'handle') args[param.name] = handleOf(param.name, handles);
    else if (param.kind === 'variable') args[param.name] = variable(param.variable.name);
    else {
      const { offset, scalar, name } = param;
      const end = offset + scalarInfo[scalar].bytes;
      const [value] = decodeArray(scalar, bytes.subarray(offset, end));
      if (value === undefined)
        throw invalid(`${entry.name}: it reads bytes ${offset} to ${end} of its ${bytes.length} bytes of parameters.`);
      args[name] = value;
    }
  }
  return args;
}

function handleOf(name: string, handles: ReadonlyMap<string, DevComm>): DevComm {
  const handle = handles.get(name);
  if (handle !== undefined) return handle;
  throw invalid(`the kernel needs a handle ${name}, which a harness cannot create.`);
}

/** The attributes of the launches of a kernel, as its host program sets them. */
export function launchAttributes(
  programmatic: boolean | undefined,
  { controlsDependents = false, params }: TranslatedEntry,
): LaunchAttributes {
  const cooperative = params.some((param) => param.kind === 'variable' && param.variable.name === gridWorkspace.name);
  const isProgrammatic = programmatic ?? (!cooperative && controlsDependents);
  return { ...(cooperative ? { cooperative } : {}), programmaticStreamSerialization: isProgrammatic };
}
