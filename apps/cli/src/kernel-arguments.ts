import type { Communicator, DevComm, Window } from '@nccl-ts/communicator';
import type { Kernel, ParamType } from '@nccl-ts/kernel';
import { scalarArgument } from './scalar-argument.ts';
import { startEpochs } from './start-epochs.ts';
import { UsageError } from './usage-error.ts';

/** What the command line makes of one parameter, the same on every rank. */
type Plan =
  | { readonly kind: 'window' }
  | { readonly kind: 'devComm' }
  | { readonly kind: 'value'; readonly value: unknown };

/** How to make the arguments of a launch, parameter by parameter. */
export type ArgumentPlan = ReadonlyMap<string, Plan>;

/** Arguments for one rank's launch, and the windows among them. */
export interface PreparedArguments {
  readonly args: Readonly<Record<string, unknown>>;
  readonly windows: ReadonlyMap<string, Window>;
  readonly devComms: ReadonlyMap<string, DevComm>;
}

/** Where counters start instead of at 0. */
export interface StartValue {
  /** Of 32 bits. */
  readonly value: number;
  /** The window parameters whose words are all counters. */
  readonly windows: readonly string[];
}

/**
 * What each parameter will get: a window, a device communicator, or the value of its `--arg`.
 *
 * @throws UsageError where a value is missing, wrong, or for no parameter, or a parameter is of a type that cannot be
 *   written on a command line.
 */
export function planArguments(kernel: Kernel, values: ReadonlyMap<string, string>): ArgumentPlan {
  const params = Object.entries(kernel.params);
  const scalars = params.filter(([, type]) => type.kind === 'scalar' || type.kind === 'vector').map(([name]) => name);
  for (const name of values.keys()) {
    if (scalars.includes(name)) continue;
    const known = scalars.length === 0 ? 'it takes none' : `it takes ${scalars.join(', ')}`;
    throw new UsageError(`--arg ${name}: kernel '${kernel.name}' takes no value of that name; ${known}`);
  }
  return new Map(params.map(([name, type]) => [name, planOf(kernel, name, type, values.get(name))]));
}

function planOf(kernel: Kernel, name: string, type: ParamType, text: string | undefined): Plan {
  switch (type.kind) {
    case 'scalar':
      return { kind: 'value', value: scalarArgument(name, type.scalar, given(kernel, name, type.scalar, text)) };
    case 'vector': {
      const { element, width } = type;
      const elements = given(kernel, name, `${width} x ${element}`, text).split(',');
      if (elements.length !== width) {
        throw new UsageError(
          `--arg ${name}: it must be ${width} values, as in ${example(width)}; given ${elements.length}`,
        );
      }
      return { kind: 'value', value: elements.map((part) => scalarArgument(name, element, part)) };
    }
    case 'handle':
      if (type.handle === 'Window') return { kind: 'window' };
      if (type.handle === 'DevComm') return { kind: 'devComm' };
      throw notHere(kernel, name, type.handle);
    case 'pointer':
      throw notHere(kernel, name, 'pointer');
    case 'struct':
      throw notHere(kernel, name, type.struct);
  }
}

function given(kernel: Kernel, name: string, type: string, text: string | undefined): string {
  if (text !== undefined) return text;
  throw new UsageError(`kernel '${kernel.name}' needs a value for '${name}' (${type}): --arg ${name}=...`);
}

function example(width: number): string {
  return Array.from({ length: width }, (_, i) => i).join(',');
}

function notHere(kernel: Kernel, name: string, type: string): UsageError {
  return new UsageError(
    `parameter '${name}' of kernel '${kernel.name}' (${type}) cannot be given on a command line: ` +
      'export a function host(comm, { grid, block }) that launches the kernel',
  );
}

export interface PrepareOptions {
  /** Bytes of each window. */
  readonly bytes: number;
  /** LSA barriers of each device communicator. */
  readonly lsaBarrierCount: number;
  /** Device communicators by parameter that are there already. */
  readonly devComms?: ReadonlyMap<string, DevComm>;
  /** Where the epochs of new device communicators, and the words of the windows that it names, start. */
  readonly start?: StartValue;
}

/**
 * Makes one rank's windows and device communicators. Collective: every rank does it. Windows hold f32 values: element i
 * of rank r is r + (i mod 17) / 16; but for those that `start` names. Afterwards the
 * hosts of all ranks have met: every rank's values are there before any rank launches.
 */
export async function prepareArguments(
  comm: Communicator,
  plan: ArgumentPlan,
  { bytes, lsaBarrierCount, devComms: given, start }: PrepareOptions,
): Promise<PreparedArguments> {
  const args: Record<string, unknown> = {};
  const windows = new Map<string, Window>();
  const devComms = new Map<string, DevComm>();
  for (const [name, step] of plan) {
    switch (step.kind) {
      case 'value':
        args[name] = step.value;
        break;
      case 'devComm': {
        const made = given?.get(name) ?? (await comm.createDevComm({ lsaBarrierCount }));
        devComms.set(name, made);
        args[name] = made;
        break;
      }
      case 'window': {
        const count = Math.ceil(bytes / 4);
        const from = start?.windows.includes(name) === true ? start.value : undefined;
        const win = await comm.allocWindow(from === undefined ? 'f32' : 'u32', count);
        await win.write(from === undefined ? initialData(comm.rank, count) : new Uint32Array(count).fill(from));
        args[name] = win;
        windows.set(name, win);
        break;
      }
    }
  }
  if (start !== undefined && given === undefined) {
    await startEpochs(comm, [...devComms.values()], lsaBarrierCount, start.value);
  }
  // In a collective call the hosts meet, as they do in programs that fill their windows before they make a device communicator.
  await comm.createDevComm();
  return { args, windows, devComms };
}

function initialData(rank: number, count: number): Float32Array {
  const data = new Float32Array(count);
  for (let i = 0; i < count; i++) data[i] = rank + (i % 17) / 16;
  return data;
}
