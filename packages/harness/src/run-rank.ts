import { decodeArray, emptyWordTable, NcclError, scalarInfo } from '@nccl-ts/core';
import {
  getLsaMultimemDevicePointer,
  getPeerDevicePointer,
  type Communicator,
  type DevComm,
  type Stream,
  type Window,
} from '@nccl-ts/communicator';
import { devCommValues, type DevCommField, type DevCommRequirements } from '@nccl-ts/devcomm';
import { gridWorkspace, type PtxVariable } from '@nccl-ts/ptx';
import type { LaunchAttributes } from '@nccl-ts/transport';
import { barrierOfHosts } from './calls/nvshmem-calls.ts';
import { shmemRequirements } from './calls/shmem-completion.ts';
import { isArrayLike } from './compound-types.ts';
import type { RankDescription } from './describe-ranks.ts';
import { expectBytes, type Expectation } from './memory/expectation.ts';
import type { Harness, HarnessArgument } from './harness.ts';
import type { HostStep } from './memory/host-step.ts';
import { imageBytes, type MemoryImage, type RankAddresses } from './memory/memory-image.ts';
import { invalid } from './memory/memory-type.ts';
import { parameterBytes } from './parameter-bytes.ts';
import { pointerText, type Pointer } from './memory/pointer.ts';
import { variableImage } from './variable-image.ts';
import type { TranslatedEntry } from './translated-entry.ts';

/** The `WindowFlags` of allocations. Any of them may contain signals of the network. */
const SYMMETRIC_AND_ORDERED = 3;

/** The parts of a harness run: the harness, the kernel, and the program of every rank. */
export interface HarnessRun {
  readonly harness: Harness;
  readonly translated: TranslatedEntry;
  readonly ranks: readonly RankDescription[];
}

/**
 * Allocates and fills the memory of one rank, launches, and compares the results.
 *
 * @throws NcclError `NCCLTS_FAULT` if the results are not the expected ones. Errors of launches.
 */
export async function runRank(
  comm: Communicator,
  { harness, translated, ranks }: HarnessRun,
): Promise<readonly string[]> {
  const description = ranks[comm.rank];
  if (description === undefined)
    throw invalid(`the harness describes ${ranks.length} ranks; this is rank ${comm.rank}.`);
  const windows = new Map<string, Window>();
  for (const { allocation } of description.memory) {
    windows.set(
      allocation.name,
      await comm.allocWindow('u8', allocation.bytes, { name: allocation.name, flags: SYMMETRIC_AND_ORDERED }),
    );
  }
  const variables = new Map<string, Window>();
  for (const variable of variablesOf(translated)) {
    variables.set(variable.name, await comm.allocWindow('u8', variable.bytes, { name: variable.name }));
  }
  const handles = new Map<string, DevComm>();
  for (const [name, requirements] of handlesOf(translated, harness, comm.nRanks)) {
    handles.set(name, await comm.createDevComm(requirements));
  }
  const addresses: RankAddresses = {
    address: (pointer) => addressOf(windows, pointer, comm.rank),
    field: (field) => devCommField(handles.get('comm'), field),
  };
  for (const { allocation, image, isGiven } of description.memory) {
    if (isGiven) await windows.get(allocation.name)?.write(imageBytes(image, addresses));
  }
  const variableAddress = (name: string): bigint => ownAddress(variables, name, comm.rank);
  for (const variable of variablesOf(translated)) {
    await variables.get(variable.name)?.write(variableImage(variable, variableAddress));
  }
  // The ranks synchronize here, so that all memory is filled before the first kernel of any rank
  // begins.
  await comm.allocWindow('u8', 1, { name: 'the beginning of the launches' });

  const streams: (Stream | undefined)[] = [undefined];
  while (streams.length < harness.streams) streams.push(await comm.createStream());
  const { between, expect } = description.launches;
  const attributes = launchAttributes(harness, translated, variables.has(gridWorkspace.name));
  for (let launch = 0; launch < harness.launches; launch++) {
    const stream = streams[launch % streams.length];
    const args = launchArguments(translated, argumentsOf(description, launch), addresses, variableAddress, handles);
    const options = {
      grid: harness.grid,
      block: harness.block,
      label: `launch ${launch + 1} of ${harness.launches}`,
      ...(stream === undefined ? {} : { stream }),
      ...(attributes === undefined ? {} : { attributes }),
    };
    await comm.launch(translated.kernel, options, args);
    const isLast = launch + 1 === harness.launches;
    if (between === undefined || isLast || (launch + 1) % streams.length !== 0) continue;
    const steps = stepsOf(between(launch + 1), comm.rank);
    if (steps.length > 0 && streams.length > 1) await settle(comm, streams);
    for (const { allocation, offset, image } of steps)
      await windows.get(allocation)?.write(imageBytes(image, addresses), offset);
  }
  const printed = await settle(comm, streams);
  const heap = handles.get('heap');
  if (heap !== undefined && ranks.some(({ launches }) => launches.expect !== undefined)) {
    await comm.launch(barrierOfHosts, { grid: 1, block: 1, label: 'before the comparison' }, { heap });
    await comm.synchronize();
  }
  for (const one of expectationsOf(expect?.(), comm.rank)) {
    const window = windows.get(one.allocation);
    if (window === undefined) continue;
    const { type, from, expected } = one;
    if (expected.length === 0) continue;
    const read = new Uint8Array(expected.length * type.bytes);
    expectBytes(one, await window.read(read, from * type.bytes), comm.rank);
  }
  return printed;
}

/** The attributes of all launches; `undefined` if there are none. */
function launchAttributes(
  { programmatic }: Harness,
  { controlsDependents = false }: TranslatedEntry,
  cooperative: boolean,
): LaunchAttributes | undefined {
  const isProgrammatic = programmatic ?? (!cooperative && controlsDependents);
  if (!cooperative && !isProgrammatic) return undefined;
  return {
    ...(cooperative ? { cooperative } : {}),
    ...(isProgrammatic ? { programmaticStreamSerialization: true } : {}),
  };
}

function variablesOf({ params }: TranslatedEntry): readonly PtxVariable[] {
  return params.flatMap((param) => (param.kind === 'variable' ? [param.variable] : []));
}

/** The arguments that `setup` returns. */
export function argumentsOf({ launches: { args }, rank }: RankDescription, launch: number): readonly HarnessArgument[] {
  const given = typeof args === 'function' ? args(launch) : args;
  if (isArrayLike(given)) return given;
  throw invalid(`setup of rank ${rank}: args of launch ${launch} must be an array.`);
}

function launchArguments(
  { entry, params }: TranslatedEntry,
  given: readonly HarnessArgument[],
  addresses: RankAddresses,
  variableAddress: (name: string) => bigint,
  handles: ReadonlyMap<string, DevComm>,
): Readonly<Record<string, number | bigint | boolean | DevComm>> {
  const image: MemoryImage = parameterBytes(entry.params, given, entry.name);
  const bytes = imageBytes(image, addresses);
  const args = emptyWordTable<number | bigint | boolean | DevComm>();
  for (const param of params) {
    if (param.kind === 'handle') args[param.name] = handleOf(param.name, handles);
    else if (param.kind === 'variable') args[param.name] = variableAddress(param.variable.name);
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

/**
 * The device communicators that calls need, by name: NCCL's, which the harness describes, and the
 * one for NVSHMEM's heap.
 */
function handlesOf(
  { params }: TranslatedEntry,
  { devComm }: Harness,
  nRanks: number,
): readonly (readonly [string, DevCommRequirements])[] {
  const needs = (name: string): boolean => params.some((param) => param.kind === 'handle' && param.name === name);
  return [
    ...(needs('comm') || devComm !== undefined ? [['comm', devComm ?? {}] as const] : []),
    ...(needs('heap') ? [['heap', shmemRequirements(nRanks)] as const] : []),
  ];
}

function devCommField(devComm: DevComm | undefined, field: DevCommField): number {
  if (devComm === undefined)
    throw invalid('devComm is an argument, and there is none: say what it needs, devComm: {} at least.');
  const { plan, rank, lsaMultimem } = devComm;
  return devCommValues(plan, plan.topology, rank, lsaMultimem.mcBasePtr)[field];
}

function addressOf(windows: ReadonlyMap<string, Window>, pointer: Pointer, rank: number): bigint {
  const window = windows.get(pointer.allocation.name);
  if (window === undefined) throw invalid(`there is no allocation '${pointer.allocation.name}' at rank ${rank}.`);
  const made =
    pointer.rank === 'multicast'
      ? getLsaMultimemDevicePointer(window, pointer.offset)
      : getPeerDevicePointer(window, pointer.offset, pointer.rank);
  if (made !== null) return BigInt(made.address);
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `rank ${rank} has no address of ${pointerText(pointer)}: ${pointer.rank === 'multicast' ? 'the backend has no multicast' : 'the rank is in another load-store domain'}.`,
  );
}

function ownAddress(variables: ReadonlyMap<string, Window>, name: string, rank: number): bigint {
  const window = variables.get(name);
  const made = window === undefined ? null : getPeerDevicePointer(window, 0, rank);
  if (made === null)
    throw new NcclError(
      'NCCLTS_COMPILE',
      `cannot put the address of ${name} into memory: the module has no such variable in .global.`,
    );
  return BigInt(made.address);
}

async function settle(comm: Communicator, streams: readonly (Stream | undefined)[]): Promise<readonly string[]> {
  const printed: string[] = [];
  for (const stream of streams) printed.push(...(await comm.synchronize(stream)).printed);
  return printed;
}

function stepsOf(given: HostStep | readonly HostStep[] | undefined, rank: number): readonly HostStep[] {
  const steps = given === undefined ? [] : 'kind' in given ? [given] : given;
  if (steps.every(({ kind }) => kind === 'step')) return steps;
  throw invalid(`setup of rank ${rank}: between must return the result of an allocation's write, or an array of such.`);
}

function expectationsOf(given: Expectation | readonly Expectation[] | undefined, rank: number): readonly Expectation[] {
  const all = given === undefined ? [] : 'kind' in given ? [given] : given;
  if (all.every(({ kind }) => kind === 'expectation')) return all;
  throw invalid(`setup of rank ${rank}: expect must return the result of an allocation's equals, or an array of such.`);
}
