import { scalarInfo } from '@nccl-ts/core';
import {
  expressionChildren,
  sameType,
  typeName,
  type Expression,
  type Span,
  type Static,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';
import { valueTypeOf, type ParamType } from '../author/param-type.ts';
import type { Accept } from '../author/accept.ts';
import type { SignatureHelp } from '../author/device-fn.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { waitReports } from '../diagnose/wait-reports.ts';
import { constantInteger } from './arguments.ts';
import { asValue, assignTo } from './convert.ts';
import { isCustomCoop } from './coop.ts';
import type { Lowering } from './lowering.ts';
import {
  absent,
  describe,
  literalOperand,
  poison,
  valueOperand,
  type Argument,
  type CallOperands,
  type Operand,
  type RecordOperand,
} from './operand.ts';
import { bindConstant, memberValue } from './variable.ts';

/** Arguments that have been converted to an intrinsic's signature. */
export interface Accepted {
  /** One operand for each parameter of the signature, in order. Omitted options are `absent`. */
  readonly args: readonly Argument[];
  readonly statics: readonly Static[];
  readonly values: readonly Expression[];
  /**
   * The types of type arguments, and the element types of pointer arguments, by the names of their
   * parameters.
   */
  readonly types: ReadonlyMap<string, ValueType>;
}

/**
 * Checks a call against a signature. If anything is wrong, reports all of it and returns
 * `undefined`.
 */
export function acceptCall(
  l: Lowering,
  name: string,
  signature: SignatureHelp,
  call: CallOperands,
  pure = false,
): Accepted | undefined {
  const params = Object.entries(signature.params);
  const required = params.filter(([param]) => !param.endsWith('?')).length;
  if (call.args.length < required || call.args.length > params.length) {
    // The author of a call of a method writes its object before the dot.
    const shown = params[0]?.[0] === 'self' ? params.slice(1) : params;
    const before = params.length - shown.length;
    const [least, most] = [required - before, shown.length];
    const allowed = least === most ? `${least} argument${least === 1 ? '' : 's'}` : `${least} to ${most} arguments`;
    const usage = `${name}(${shown.map(([param]) => param).join(', ')})`;
    l.report(callReports.argumentCount(call.span, name, call.args.length - before, allowed, usage));
    return undefined;
  }
  const into: Into = { statics: [], values: [], types: new Map(), pure };
  let sound = true;
  const args = params.map(([param, accept], index): Argument => {
    const given = call.args[index] ?? { operand: absent, span: call.span };
    if (given.operand.kind === 'absent' && !param.endsWith('?')) {
      sound = false;
      l.report(callReports.argumentKind(given.span, name, param, wantedBy(accept), describe(given.operand)));
      return { operand: poison, span: given.span };
    }
    const operand = acceptArgument(l, name, param.replace(/\?$/, ''), accept, given, into);
    if (operand === undefined || operand.kind === 'poison') sound = false;
    return { operand: operand ?? poison, span: given.span };
  });
  const { statics, values, types } = into;
  return sound ? { args, statics, values, types } : undefined;
}

interface Into {
  readonly statics: Static[];
  readonly values: Expression[];
  /**
   * The types of type arguments, and the element types of pointer arguments, by the names of their
   * parameters.
   */
  readonly types: Map<string, ValueType>;
  /**
   * True if the call becomes part of an expression. Small arguments are then repeated in it, so
   * that later passes can analyse loops.
   */
  readonly pure: boolean;
}

/** The largest argument that a pure body may repeat. A larger one is computed once. */
const MAX_REPEATED = 12;

function acceptArgument(
  l: Lowering,
  fn: string,
  param: string,
  accept: Accept,
  given: Argument,
  into: Into,
): Operand | undefined {
  const { operand, span } = given;
  if (operand.kind === 'absent' || operand.kind === 'poison') {
    return accept.kind === 'options' && operand.kind === 'absent'
      ? acceptOptions(l, fn, accept.members, noOptions, span, into)
      : operand;
  }
  const refuse = (wanted: string): undefined => {
    l.report(callReports.argumentKind(span, fn, param, wanted, describe(operand)));
    return undefined;
  };
  switch (accept.kind) {
    case 'type':
      if (operand.kind !== 'type') return refuse(wantedBy(accept));
      into.types.set(param, operand.type);
      into.statics.push({ kind: 'type', name: param, type: operand.type });
      return operand;
    case 'coop':
      if (operand.kind === 'coop') into.statics.push({ kind: 'coop', name: param, coop: operand.coop });
      else if (isCustomCoop(operand)) into.statics.push({ kind: 'custom', name: param });
      else {
        l.report(waitReports.notAGroup(span, describe(operand)));
        return undefined;
      }
      return operand;
    case 'word':
      if (operand.kind !== 'word') return refuse(wantedBy(accept));
      if (!accept.words.includes(operand.word)) {
        l.report(callReports.unknownWord(span, fn, param, operand.word, accept.words));
        return undefined;
      }
      into.statics.push({ kind: 'word', name: param, word: operand.word });
      return operand;
    case 'constant': {
      if (operand.kind === 'literal' && typeof operand.literal === 'boolean') {
        into.statics.push({ kind: 'number', name: param, number: operand.literal });
        return operand;
      }
      const number = constantInteger(l, `${fn}: '${param}'`, operand, span);
      if (number === undefined) return undefined;
      into.statics.push({ kind: 'number', name: param, number });
      return literalOperand(number);
    }
    case 'options':
      return operand.kind === 'record'
        ? acceptOptions(l, fn, accept.members, operand, span, into)
        : refuse(wantedBy(accept));
    case 'function':
      return operand.kind === 'function' ? operand : refuse(wantedBy(accept));
    case 'anyPointer':
      if (operand.kind !== 'value' || operand.value.type.kind !== 'pointer') return refuse(wantedBy(accept));
      if (accept.space !== undefined && operand.value.type.space !== accept.space) return refuse(wantedBy(accept));
      into.types.set(param, operand.value.type.element);
      return value(l, param, operand.value, span, into);
    case 'element': {
      const element = into.types.get(accept.of);
      const converted = element && assignTo(l, operand, element, span);
      return converted && value(l, param, converted, span, into);
    }
    case 'pointerTo': {
      const named = into.statics.find((known) => known.kind === 'type' && known.name === accept.type);
      const element = named?.kind === 'type' ? named.type : undefined;
      const type = operand.kind === 'value' ? operand.value.type : undefined;
      if (operand.kind !== 'value' || type?.kind !== 'pointer' || element === undefined)
        return refuse(wantedBy(accept, element));
      if (!sameType(type.element, element)) return refuse(wantedBy(accept, element));
      return value(l, param, operand.value, span, into);
    }
    case 'anyInteger': {
      const any = asValue(l, operand, span);
      if (any === undefined) return undefined;
      if (any.type.kind !== 'scalar' || scalarInfo[any.type.scalar].class !== 'int') return refuse(wantedBy(accept));
      return value(l, param, any, span, into);
    }
    case 'anyValue': {
      const any = asValue(l, operand, span);
      return any && value(l, param, any, span, into);
    }
    default:
      return acceptTyped(l, fn, param, accept, operand, span, into);
  }
}

/** The requirement on an argument, in words. */
function wantedBy(accept: Accept, element?: Type): string {
  switch (accept.kind) {
    case 'pointerTo':
      return element === undefined ? 'a pointer' : `a pointer to ${typeName(element)}`;
    case 'anyInteger':
      return 'an integer';
    case 'type':
      return 'a type such as f32';
    case 'coop':
      return 'a thread group';
    case 'word':
      return `one of ${accept.words.map((word) => `'${word}'`).join(', ')}`;
    case 'constant':
      return 'a constant';
    case 'options':
      return 'an object of options';
    case 'function':
      return 'a function';
    case 'anyPointer':
      return accept.space === undefined ? 'a pointer' : `a pointer to ${accept.space} memory`;
    case 'anyValue':
    case 'element':
      return 'a number';
    case 'scalar':
    case 'vector':
      return `a value of type ${typeName(valueTypeOf(accept))}`;
    case 'pointer':
      return `a pointer to ${typeName(valueTypeOf(accept.element))}`;
    case 'handle':
      return `a ${accept.handle}`;
    case 'struct':
      return `a ${accept.struct}`;
  }
}

const noOptions: RecordOperand = { kind: 'record', name: 'no options', members: new Map() };

function acceptOptions(
  l: Lowering,
  fn: string,
  members: Readonly<Record<string, Accept>>,
  given: RecordOperand,
  span: Span,
  into: Into,
): Operand | undefined {
  const accepted = new Map<string, Operand>();
  let sound = true;
  for (const name of given.members.keys()) {
    if (!Object.hasOwn(members, name)) {
      l.report(callReports.unknownOption(given.memberSpans?.get(name)?.name ?? span, fn, name, Object.keys(members)));
      sound = false;
    }
  }
  for (const [name, accept] of Object.entries(members)) {
    const operand = acceptArgument(
      l,
      fn,
      name,
      accept,
      { operand: given.members.get(name) ?? absent, span: given.memberSpans?.get(name)?.value ?? span },
      into,
    );
    if (operand === undefined) sound = false;
    else accepted.set(name, operand);
  }
  return sound ? { kind: 'record', name: 'options', members: accepted } : undefined;
}

/** Converts an argument to a declared type as C++ does, and computes it once. */
function acceptTyped(
  l: Lowering,
  fn: string,
  param: string,
  type: ParamType,
  operand: Operand,
  span: Span,
  into: Into,
): Operand | undefined {
  switch (type.kind) {
    case 'scalar':
    case 'vector': {
      const converted = assignTo(l, operand, valueTypeOf(type), span);
      return converted && value(l, param, converted, span, into);
    }
    case 'pointer': {
      if (
        operand.kind !== 'value' ||
        operand.value.type.kind !== 'pointer' ||
        typeName(operand.value.type.element) !== typeName(valueTypeOf(type.element))
      ) {
        l.report(callReports.argumentKind(span, fn, param, wantedBy(type), describe(operand)));
        return undefined;
      }
      return value(l, param, operand.value, span, into);
    }
    case 'handle':
      if (operand.kind !== 'value' || operand.handle?.handle !== type.handle) {
        l.report(callReports.argumentKind(span, fn, param, wantedBy(type), describe(operand)));
        return undefined;
      }
      into.values.push(operand.value);
      return operand;
    case 'struct': {
      if (operand.kind !== 'record' || operand.struct?.struct !== type.struct) {
        l.report(callReports.argumentKind(span, fn, param, wantedBy(type), describe(operand)));
        return undefined;
      }
      const stored = bindConstant(l, param, operand, span);
      if (stored.kind === 'record') flatten(stored, type, into);
      return stored;
    }
  }
}

function flatten(record: RecordOperand, type: Extract<ParamType, { kind: 'struct' }>, into: Into): void {
  for (const [name, field] of Object.entries(type.fields)) {
    const member = memberValue(record, name);
    if (member.kind === 'value') into.values.push(member.value);
    else if (member.kind === 'record' && field.kind === 'struct') flatten(member, field, into);
  }
}

function value(l: Lowering, name: string, expression: Expression, span: Span, into: Into): Operand {
  const small = into.pure && sizeOf(expression, MAX_REPEATED) <= MAX_REPEATED;
  const stored = small ? valueOperand(expression) : l.keep(valueOperand(expression), name, span);
  into.values.push(stored.value);
  return stored;
}

/** Counts the nodes, and stops soon after `enough`. */
function sizeOf(expression: Expression, enough: number): number {
  let size = 1;
  for (const child of expressionChildren(expression)) {
    if (size > enough) return size;
    size += sizeOf(child, enough - size);
  }
  return size;
}
