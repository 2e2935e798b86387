import type { Span } from '@nccl-ts/ir';
import { valueTypeOf } from '../author/param-type.ts';
import type { Accept, DeviceFn, DeviceModule, Use } from '../device-fn.ts';
import type { StructParam, ValueParam } from '../author/param-type.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { builtinOperand } from './builtin.ts';
import { builtinNames } from './builtin-names.ts';
import { deviceFnOperand } from './call-device-fn.ts';
import type { Lowering } from './lowering.ts';
import { acceptCall } from './accept.ts';
import { functionOperand, literalOperand, poison, type Operand, type RecordOperand } from './operand.ts';

/** The first parameter of a body: the built-ins and what `use` names. */
export function contextOperand(l: Lowering, owner: string, use: Use, span: Span): RecordOperand {
  const members = new Map<string, Operand>();
  for (const name of builtinNames) members.set(name, builtinOperand(l, name));
  for (const [name, value] of Object.entries(use)) {
    const operand = useOperand(l, name, value, span);
    if (members.has(name) && operand.kind !== 'type') l.report(callReports.useShadows(span, name));
    else members.set(name, operand);
  }
  return { kind: 'record', name: `the first parameter of ${owner}`, members };
}

/** What an entry of `use` is in the body. `value` comes from the host, so it may be anything. */
function useOperand(l: Lowering, name: string, value: unknown, span: Span): Operand {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
      return literalOperand(value);
    case 'string':
      return { kind: 'word', word: value };
    case 'object':
      if (isValueParam(value)) return { kind: 'type', type: valueTypeOf(value) };
      if (isStructParam(value)) return constructorOperand(l, value);
      if (isDeviceFn(value)) return deviceFnOperand(l, value);
      if (isDeviceModule(value)) return moduleOperand(l, value, span);
      return l.report(callReports.useValue(span, name, value === null ? 'null' : 'an object of another kind'));
    case 'function':
      return l.report(callReports.useValue(span, name, 'a plain function; wrap it: deviceFn({ name }, (context, ...) => ...)'));
    default:
      return l.report(callReports.useValue(span, name, `of type ${typeof value}`));
  }
}

/** A struct type is called to make one: `Team({ nRanks, rank, stride })`. */
function constructorOperand(l: Lowering, struct: StructParam): Operand {
  const members = { ...mapValues(struct.fields), ...Object.fromEntries(Object.keys(struct.types).map((name) => [name, { kind: 'type' } as const])) };
  const signature = { params: { fields: { kind: 'options', members } } } as const;
  return functionOperand(struct.struct, (call) => {
    const accepted = acceptCall(l, struct.struct, signature, call);
    const fields = accepted?.args[0]?.operand;
    return fields?.kind === 'record' ? { ...fields, name: `a ${struct.struct}`, struct } : poison;
  });
}

function mapValues(fields: StructParam['fields']): Readonly<Record<string, Accept>> {
  return fields;
}

function isStructParam(value: object | null): value is StructParam {
  return value !== null && 'kind' in value && value.kind === 'struct';
}

function moduleOperand(l: Lowering, module: DeviceModule<unknown>, span: Span): RecordOperand {
  const members = new Map<string, Operand>();
  for (const [name, value] of Object.entries(module.members)) members.set(name, useOperand(l, `${module.name}.${name}`, value, span));
  return { kind: 'record', name: `module '${module.name}'`, members };
}

function isValueParam(value: object | null): value is ValueParam {
  return value !== null && 'kind' in value && (value.kind === 'scalar' || value.kind === 'vector');
}

function isDeviceFn(value: object | null): value is DeviceFn<unknown> {
  return value !== null && 'kind' in value && value.kind === 'deviceFn';
}

function isDeviceModule(value: object | null): value is DeviceModule<unknown> {
  return value !== null && 'kind' in value && value.kind === 'deviceModule';
}
