import { sameType, type Span } from '@nccl-ts/ir';
import { isDeviceFn, isDeviceModule, isStructParam, isValueParam } from '../author/param-guard.ts';
import { valueTypeOf, type StructParam } from '../author/param-type.ts';
import type { DeviceModule } from '../author/device-fn.ts';
import { isUnknownValue } from '../author/unknown-value.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { builtinOperand } from './builtin.ts';
import { builtinNames } from './builtin-names.ts';
import { deviceFnOperand } from './call-device-fn.ts';
import { structMembers } from './struct-members.ts';
import type { Lowering } from './lowering.ts';
import { acceptCall } from './accept.ts';
import { functionOperand, literalOperand, poison, type Operand, type RecordOperand } from './operand.ts';

/**
 * Makes the first parameter of a body, with the built-ins and the names of `use`. Wrong names are
 * reported at `at`.
 */
export function contextOperand(l: Lowering, owner: string, use: GivenUse, at: (name: string) => Span): RecordOperand {
  return { kind: 'record', name: `the first parameter of ${owner}`, members: membersOf(l, use, at) };
}

/** The entries of `use`, as the host gives them. */
type GivenUse = Readonly<Record<string, unknown>>;

const contexts: WeakMap<Lowering, Map<GivenUse, ReadonlyMap<string, Operand>>> = new WeakMap();

/**
 * The names of `use` as operands, made once for each function. Problems are reported at the first
 * inlined call.
 */
function membersOf(l: Lowering, use: GivenUse, at: (name: string) => Span): ReadonlyMap<string, Operand> {
  let made = contexts.get(l);
  if (made === undefined) {
    made = new Map();
    contexts.set(l, made);
  }
  const before = made.get(use);
  if (before !== undefined) return before;
  const members = new Map(builtinsOf(l));
  for (const [name, value] of Object.entries(use)) {
    const operand = useOperand(l, name, value, at(name));
    const known = members.get(name);
    if (known === undefined || operand.kind === 'poison' || isSameType(known, operand)) members.set(name, operand);
    else l.report(callReports.useShadows(at(name), name));
  }
  made.set(use, members);
  return members;
}

const known: WeakMap<Lowering, ReadonlyMap<string, Operand>> = new WeakMap();

/** The built-ins, made once for each compilation, because every inlined function takes them. */
function builtinsOf(l: Lowering): ReadonlyMap<string, Operand> {
  let builtins = known.get(l);
  if (builtins === undefined) {
    builtins = new Map(builtinNames.map((name) => [name, builtinOperand(l, name)]));
    known.set(l, builtins);
  }
  return builtins;
}

/** `use: { f32 }` repeats a built-in, which is allowed. */
function isSameType(given: Operand, operand: Operand): boolean {
  return given.kind === 'type' && operand.kind === 'type' && sameType(given.type, operand.type);
}

/** The limit for nested modules. It rejects a module that contains itself. */
const MAX_MODULES = 16;

/** Returns the operand for an entry of `use`. The host passes `value`, so it may be anything. */
function useOperand(l: Lowering, name: string, value: unknown, span: Span, depth = 0): Operand {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
      return literalOperand(value);
    case 'string':
      return { kind: 'word', word: value };
    case 'object':
      if (isUnknownValue(value)) return poison;
      if (isValueParam(value)) return { kind: 'type', type: valueTypeOf(value) };
      if (isStructParam(value)) return constructorOperand(l, value);
      if (isDeviceFn(value)) return deviceFnOperand(l, value);
      if (isDeviceModule(value) && depth < MAX_MODULES) return moduleOperand(l, value, span, depth);
      return l.report(callReports.useValue(span, name, value === null ? 'null' : 'an object of another kind'));
    case 'function':
      return l.report(callReports.useValue(span, name, 'a plain function'));
    default:
      return l.report(callReports.useValue(span, name, `of type ${typeof value}`));
  }
}

/** A struct type is called to make one: `Team({ nRanks, rank, stride })`. */
function constructorOperand(l: Lowering, struct: StructParam): Operand {
  const signature = { params: { fields: { kind: 'options', members: structMembers(struct) } } } as const;
  return functionOperand(struct.struct, (call) => {
    const accepted = acceptCall(l, struct.struct, signature, call);
    const fields = accepted?.args[0];
    if (fields?.operand.kind !== 'record') return poison;
    for (const [name, member] of fields.operand.members) {
      if (member.kind === 'absent') return l.report(callReports.missingMember(fields.span, struct.struct, name));
    }
    return { ...fields.operand, name: `a ${struct.struct}`, struct };
  });
}

function moduleOperand(l: Lowering, module: DeviceModule<unknown>, span: Span, depth: number): RecordOperand {
  const members = new Map<string, Operand>();
  for (const [name, value] of Object.entries(module.members))
    members.set(name, useOperand(l, `${module.name}.${name}`, value, span, depth + 1));
  return { kind: 'record', name: `module '${module.name}'`, members };
}
