import { elementScalar } from '@nccl-ts/ir';
import { valueTypeOf } from '@nccl-ts/kernel';
import type { Kernel, ParamType, StructParam } from '@nccl-ts/kernel';
import type { KernelArg } from '@nccl-ts/transport';
import { shown } from '../describe.ts';
import { CreatedDevComm } from '../dev-comm.ts';
import { ResolvedPointer } from '../window/device-pointer.ts';
import { closed, invalidArgument } from '../errors.ts';
import type { RankState } from '../rank/rank-state.ts';
import { scalarValue } from './scalar-value.ts';
import { checkSameVersion } from '../world/kernel-version.ts';
import { isRegisteredWindow, type RegisteredWindow } from '../window/window.ts';

/**
 * Converts the arguments of a launch to the form of the kernel's module: structs are flattened
 * depth first, and every value is checked.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if one is missing, unknown, of another type, out of
 *   range, or belongs to another rank; `NCCL_INVALID_USAGE` if a device communicator and the kernel
 *   have different versions; `NCCLTS_CLOSED` if one was closed.
 */
export function launchArguments(kernel: Kernel, args: unknown, owner: RankState): readonly KernelArg[] {
  const what = `launch of ${kernel.name}`;
  const { params } = kernel;
  const takes = (): string => `the kernel takes ${listed(Object.keys(params))}`;
  if (typeof args !== 'object' || args === null) {
    throw invalidArgument(
      `${what}: the arguments must be an object with ${listed(Object.keys(params))}; given ${shown(args)}.`,
    );
  }
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(params, name));
  if (unknown.length > 0) throw invalidArgument(`${what}: no parameter is called ${unknown.join(', ')}; ${takes()}.`);
  const types = entriesOf(params);
  const given = types.map(([name]): unknown => (Object.hasOwn(args, name) ? Reflect.get(args, name) : undefined));
  if (given.includes(undefined)) {
    const missing = types.flatMap(([name], i) => (given[i] === undefined ? [name] : []));
    throw invalidArgument(`${what}: ${missing.join(', ')} missing; ${takes()}.`);
  }
  const flat: KernelArg[] = [];
  for (const [i, [name, type]] of types.entries()) append(flat, type, given[i], `${what}: argument ${name}`, owner);
  checkSameVersion(kernel, flat, owner.world.api);
  return flat;
}

/** Returns the windows and device communicators among the checked arguments of a launch. */
export function handlesOf(kernel: Kernel, args: unknown): readonly (RegisteredWindow | CreatedDevComm)[] {
  const found: (RegisteredWindow | CreatedDevComm)[] = [];
  collectHandles(found, kernel.params, args);
  return found;
}

function collectHandles(
  found: (RegisteredWindow | CreatedDevComm)[],
  types: Readonly<Record<string, ParamType>>,
  values: unknown,
): void {
  if (typeof values !== 'object' || values === null) return;
  for (const [name, type] of entriesOf(types)) {
    const value: unknown = Reflect.get(values, name);
    if (type.kind === 'struct') collectHandles(found, type.fields, value);
    else if (isRegisteredWindow(value) || value instanceof CreatedDevComm) found.push(value);
    else if (value instanceof ResolvedPointer) found.push(value.window);
  }
}

/**
 * Cached, because every launch reads the objects that describe parameters, and these do not change.
 */
const entries = new WeakMap<object, readonly (readonly [name: string, type: ParamType])[]>();

function entriesOf(types: Readonly<Record<string, ParamType>>): readonly (readonly [name: string, type: ParamType])[] {
  let found = entries.get(types);
  if (found === undefined) {
    found = Object.entries(types);
    entries.set(types, found);
  }
  return found;
}

function append(flat: KernelArg[], type: ParamType, value: unknown, what: string, owner: RankState): void {
  switch (type.kind) {
    case 'scalar':
      flat.push({ kind: 'scalar', value: scalarValue(type.scalar, value, what) });
      return;
    case 'vector': {
      if (!Array.isArray(value) || value.length !== type.width) {
        throw invalidArgument(
          `${what} must be an array of ${type.width} numbers (vec(${type.element}, ${type.width})); given ${shown(value)}.`,
        );
      }
      const elements: readonly unknown[] = value;
      flat.push({
        kind: 'vector',
        values: elements.map((element, i) => numberValue(scalarValue(type.element, element, `${what}[${i}]`))),
      });
      return;
    }
    case 'pointer':
      flat.push({ kind: 'pointer', address: pointerArgument(value, what, owner).address });
      return;
    case 'handle':
      flat.push(handleArgument(type.handle, value, what, owner));
      return;
    case 'struct': {
      if (typeof value !== 'object' || value === null) {
        throw invalidArgument(
          `${what} must be a ${type.struct} with ${listed(Object.keys(type.fields))}; given ${shown(value)}.`,
        );
      }
      checkElement(type, value, what);
      for (const [name, field] of entriesOf(type.fields)) {
        const member: unknown = Reflect.get(value, name);
        if (member === undefined) {
          throw invalidArgument(
            `${what} must be a ${type.struct} with ${listed(Object.keys(type.fields))}; given ${shown(value)}, without ${name}.`,
          );
        }
        append(flat, field, member, `${what}.${name}`, owner);
      }
      return;
    }
  }
}

/**
 * A symmetric pointer has an element type. One that the author wrote as plain fields may omit it.
 */
function checkElement(type: StructParam, value: object, what: string): void {
  const given: unknown = Reflect.get(value, 'element');
  const expected = type.types['T'];
  if (given === undefined || expected === undefined) return;
  const element = elementScalar(valueTypeOf(expected));
  if (given !== element) {
    throw invalidArgument(
      `${what} must be a ${type.struct} to ${element}; given one to ${shown(given)}: cast(${shown(element)}) gives the same place.`,
    );
  }
}

/** Vectors cannot hold booleans, so none comes here. */
function numberValue(value: number | bigint | boolean): number | bigint {
  return typeof value === 'boolean' ? Number(value) : value;
}

function pointerArgument(value: unknown, what: string, owner: RankState): ResolvedPointer {
  if (!(value instanceof ResolvedPointer)) {
    throw invalidArgument(
      `${what} must be a device pointer, as getLsaDevicePointer and the like give it; given ${shown(value)}` +
        `${value === null ? ': this rank cannot load and store that memory' : ''}.`,
    );
  }
  if (value.window.owner !== owner) throw foreign(what, 'device pointer', value.window.owner, owner);
  if (!value.window.isOpen)
    throw closed(`${what}: the window of the device pointer was deregistered, so the pointer is invalid.`);
  return value;
}

function handleArgument(handle: string, value: unknown, what: string, owner: RankState): KernelArg {
  if (handle === 'Window') {
    if (!isRegisteredWindow(value)) {
      throw invalidArgument(
        value === null
          ? `${what} must be a window; given null: registration gives null where symmetric memory is not supported.`
          : `${what} must be a window, as allocWindow and registerWindow give it; given ${shown(value)}.`,
      );
    }
    if (value.owner !== owner) throw foreign(what, 'window', value.owner, owner);
    if (!value.isOpen) throw closed(`${what}: the window was deregistered.`);
    return { kind: 'window', window: value.handle };
  }
  if (handle === 'DevComm') {
    if (!(value instanceof CreatedDevComm)) {
      throw invalidArgument(`${what} must be a device communicator, as createDevComm gives it; given ${shown(value)}.`);
    }
    if (value.owner !== owner) throw foreign(what, 'device communicator', value.owner, owner);
    if (!value.isOpen) throw closed(`${what}: the device communicator was destroyed.`);
    return { kind: 'devComm', devComm: value.handle };
  }
  throw invalidArgument(`${what} is of type ${handle}; a launch can pass Window and DevComm.`);
}

function foreign(what: string, thing: string, { rank, world, group }: RankState, owner: RankState): Error {
  const other = world !== owner.world ? ' of another world' : group !== owner.group ? ' of another communicator' : '';
  const whose = `rank ${rank}${other}`;
  return invalidArgument(`${what}: the ${thing} is ${whose}'s; each rank passes its own, this is rank ${owner.rank}.`);
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'no arguments' : names.join(', ');
}
