import { scalarKinds } from '@nccl-ts/core';
import type { DeviceFn, DeviceModule } from './device-fn.ts';
import {
  vectorProblem,
  type HandleParam,
  type ParamType,
  type PointerParam,
  type StructParam,
  type ValueParam,
} from './param-type.ts';

// Plain JavaScript can define kernels too, so `use` and `params` may contain anything.

/** The limit for nested types. It rejects a type that contains itself. */
const MAX_DEPTH = 16;

export function isParamType(value: unknown, depth = 0): value is ParamType {
  return isValueParam(value) || isPointerParam(value) || isHandleParam(value) || isStructParam(value, depth);
}

export function isValueParam(value: unknown): value is ValueParam {
  if (!isRecord(value)) return false;
  if (value['kind'] === 'scalar') return scalarKinds.some((kind) => kind === value['scalar']);
  const element = scalarKinds.find((kind) => kind === value['element']);
  const width = value['width'];
  return (
    value['kind'] === 'vector' &&
    element !== undefined &&
    typeof width === 'number' &&
    vectorProblem(element, width) === undefined
  );
}

function isPointerParam(value: unknown): value is PointerParam {
  return isRecord(value) && value['kind'] === 'pointer' && isValueParam(value['element']);
}

/**
 * The fields of a handle are checked only where a kernel reads them, because handles may hold
 * handles of the same kind.
 */
function isHandleParam(value: unknown): value is HandleParam {
  return (
    isRecord(value) &&
    value['kind'] === 'handle' &&
    typeof value['handle'] === 'string' &&
    isRecord(value['fields']) &&
    hasMethods(value)
  );
}

export function isStructParam(value: unknown, depth = 0): value is StructParam {
  if (depth > MAX_DEPTH || !isRecord(value) || value['kind'] !== 'struct' || typeof value['struct'] !== 'string')
    return false;
  const { fields, types } = value;
  if (!isRecord(fields) || !isRecord(types) || !hasMethods(value)) return false;
  return (
    Object.values(fields).every((field) => isParamType(field, depth + 1)) && Object.values(types).every(isValueParam)
  );
}

function hasMethods(value: Readonly<Record<string, unknown>>): boolean {
  const { methods } = value;
  return isRecord(methods) && Object.values(methods).every(isDeviceFn);
}

export function isDeviceFn(value: unknown): value is DeviceFn<unknown> {
  if (!isRecord(value) || value['kind'] !== 'deviceFn' || typeof value['name'] !== 'string') return false;
  const { body, role, use } = value;
  return (body === undefined || typeof body === 'function') && isRecord(role) && isRecord(use);
}

export function isDeviceModule(value: unknown): value is DeviceModule<unknown> {
  return (
    isRecord(value) &&
    value['kind'] === 'deviceModule' &&
    typeof value['name'] === 'string' &&
    isRecord(value['members'])
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
