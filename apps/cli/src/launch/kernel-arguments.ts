import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { Communicator, DevComm, Window } from '@nccl-ts/communicator';
import type { Kernel, ParamType } from '@nccl-ts/kernel';
import type { KernelValues, RequiredOfDevComm } from './kernel-values.ts';
import { scalarArgument } from './scalar-argument.ts';
import { startEpochs } from './start-epochs.ts';
import { UsageError } from '../usage-error.ts';
import { fillOf, fillWindow, type WindowContents } from './window-contents.ts';
import { windowTypes } from './window-types.ts';

/** The argument for one parameter, which is the same on every rank. */
type ArgumentSource =
  | { readonly kind: 'window'; readonly contents: WindowContents }
  | { readonly kind: 'devComm'; readonly require: RequiredOfDevComm }
  | { readonly kind: 'value'; readonly value: unknown };

/** The arguments of a launch, by parameter. */
export type ArgumentPlan = ReadonlyMap<string, ArgumentSource>;

/** Arguments for one rank's launch, and the windows among them. */
export interface PreparedArguments {
  readonly args: Readonly<Record<string, unknown>>;
  readonly windows: ReadonlyMap<string, Window>;
  readonly devComms: ReadonlyMap<string, DevComm>;
}

/** The initial value of counters, if it is not 0. */
export interface StartValue {
  /** The 32-bit value. */
  readonly value: number;
  /** The window parameters all of whose words are counters. */
  readonly windows: readonly string[];
}

/**
 * Plans the argument of each parameter: a window, a device communicator, or the value of its
 * `--arg`. A window without `--type` has the type with which the kernel accesses it, if there is
 * only one, and otherwise f32.
 *
 * @throws UsageError if a value is missing, wrong, or for no parameter, or the command line cannot
 *   express a parameter's type; NcclError `NCCLTS_COMPILE` if the kernel does not compile.
 */
export function planArguments(kernel: Kernel, values: KernelValues): ArgumentPlan {
  const params = Object.entries(kernel.params);
  const scalars = params.filter(([, type]) => type.kind === 'scalar' || type.kind === 'vector').map(([name]) => name);
  const windows = params.filter(([, type]) => isHandle(type, 'Window')).map(([name]) => name);
  expectNames(kernel, '--arg', 'value', values.arg, scalars);
  expectNames(kernel, '--fill', 'window', values.fill, windows);
  expectNames(kernel, '--type', 'window', values.type, windows);
  const [required] = Object.keys(values.require);
  if (required !== undefined && !params.some(([, type]) => isDevComm(type))) {
    throw new UsageError(
      `--require ${required}: kernel '${kernel.name}' has no device communicator among its parameters`,
    );
  }
  const plans = params.map(([name, type]) => [name, planOf(kernel, name, type, values)] as const);
  const inferred = windows.length === 0 ? new Map<string, ScalarKind>() : windowTypes(kernel.compile());
  return new Map(
    plans.map(([name, plan]): readonly [string, ArgumentSource] => {
      if (plan.kind !== 'window') return [name, plan];
      const type = values.type.get(name) ?? inferred.get(name) ?? 'f32';
      return [name, { kind: 'window', contents: { type, fill: fillOf(name, type, values.fill.get(name)) } }];
    }),
  );
}

/** True if a parameter is a device communicator. */
export function isDevComm(type: ParamType): boolean {
  return isHandle(type, 'DevComm');
}

function isHandle(type: ParamType, handle: string): boolean {
  return type.kind === 'handle' && type.handle === handle;
}

function expectNames(
  kernel: Kernel,
  flag: string,
  what: string,
  named: ReadonlyMap<string, unknown>,
  allowed: readonly string[],
): void {
  for (const name of named.keys()) {
    if (allowed.includes(name)) continue;
    const known = allowed.length === 0 ? 'it takes none' : `it takes ${allowed.join(', ')}`;
    throw new UsageError(`${flag} ${name}: kernel '${kernel.name}' takes no ${what} of that name; ${known}`);
  }
}

function planOf(
  kernel: Kernel,
  name: string,
  type: ParamType,
  { arg, require }: KernelValues,
): ArgumentSource | { kind: 'window' } {
  const text = arg.get(name);
  switch (type.kind) {
    case 'scalar':
      return {
        kind: 'value',
        value: scalarArgument(`--arg ${name}`, type.scalar, given(kernel, name, type.scalar, text)),
      };
    case 'vector': {
      const { element, width } = type;
      const elements = given(kernel, name, `${width} x ${element}`, text).split(',');
      if (elements.length !== width) {
        throw new UsageError(
          `--arg ${name}: it must be ${width} values, as in ${example(width)}; given ${elements.length}`,
        );
      }
      return { kind: 'value', value: elements.map((part) => scalarArgument(`--arg ${name}`, element, part)) };
    }
    case 'handle':
      if (type.handle === 'Window') return { kind: 'window' };
      if (type.handle === 'DevComm') return { kind: 'devComm', require: withConnection(require) };
      throw notHere(kernel, name, type.handle);
    case 'pointer':
      throw notHere(kernel, name, 'pointer');
    case 'struct':
      throw notHere(kernel, name, type.struct);
  }
}

/** Adds a connection, which signals and counters need. */
function withConnection(require: RequiredOfDevComm): RequiredOfDevComm {
  if (require.ginConnectionType !== undefined || require.ginForceEnable !== undefined) return require;
  const { ginSignalCount = 0, ginCounterCount = 0, barrierCount = 0 } = require;
  const { railGinBarrierCount = 0, worldGinBarrierCount = 0 } = require;
  const requested = ginSignalCount + ginCounterCount + barrierCount + railGinBarrierCount + worldGinBarrierCount;
  return requested > 0 ? { ...require, ginConnectionType: 'full' } : require;
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
    `the command line cannot express parameter '${name}' of kernel '${kernel.name}' (${type}): ` +
      'export a function host(comm, { grid, block }) that launches the kernel',
  );
}

export interface PrepareOptions {
  /** The bytes of each window. */
  readonly bytes: number;
  /** The LSA barriers of each device communicator. */
  readonly lsaBarrierCount: number;
  /** Existing device communicators, by parameter. */
  readonly devComms?: ReadonlyMap<string, DevComm>;
  /**
   * The initial epochs of new device communicators, and the initial words of the windows that it
   * names.
   */
  readonly start?: StartValue;
}

/**
 * Makes one rank's windows and device communicators. The call is collective, so every rank must
 * make it. Windows have the content of the plan, except those in `start`. All of them are allocated
 * before the first is filled. At the end it synchronizes the hosts of all ranks, so every rank's
 * values are written before any rank launches.
 */
export async function prepareArguments(
  comm: Communicator,
  plan: ArgumentPlan,
  { bytes, lsaBarrierCount, devComms: ready, start }: PrepareOptions,
): Promise<PreparedArguments> {
  const args: Record<string, unknown> = {};
  const windows = new Map<string, Window>();
  const devComms = new Map<string, DevComm>();
  const contents = new Map<string, WindowContents>();
  for (const [name, step] of plan) {
    switch (step.kind) {
      case 'value':
        args[name] = step.value;
        break;
      case 'devComm': {
        const made = ready?.get(name) ?? (await comm.createDevComm({ lsaBarrierCount, ...step.require }));
        devComms.set(name, made);
        args[name] = made;
        break;
      }
      case 'window': {
        const counts = start?.windows.includes(name) === true;
        const held: WindowContents = counts
          ? { type: 'u32', fill: { kind: 'value', value: start.value } }
          : step.contents;
        const win = await comm.allocWindow(held.type, Math.ceil(bytes / scalarInfo[held.type].bytes));
        contents.set(name, held);
        args[name] = win;
        windows.set(name, win);
        break;
      }
    }
  }
  for (const [name, win] of windows) {
    const held = contents.get(name);
    if (held !== undefined) await fillWindow(win, name, held);
  }
  if (start !== undefined && ready === undefined) {
    await startEpochs(comm, [...devComms.values()], lsaBarrierCount, start.value);
  }
  // A collective call synchronizes the hosts, as in programs that fill their windows before they
  // create a device communicator.
  await comm.createDevComm();
  return { args, windows, devComms };
}
