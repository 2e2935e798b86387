import { at as itemAt } from '@nccl-ts/core';
import { handleType, intrinsic, type Expression, type Span, type Type } from '@nccl-ts/ir';
import {
  valueTypeOf,
  type HandleParam,
  type ParamType,
  type StructParam,
  type ValueParam,
} from '../author/param-type.ts';
import { argumentNames } from '../author/accept.ts';
import type {
  BodyFunction,
  DeviceFn,
  DeviceFnRole,
  OverloadArguments,
  SessionDefinition,
  SignatureHelp,
} from '../author/device-fn.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { acceptCall, type Accepted } from './accept.ts';
import { chooseForm, inOrder } from './choose-form.ts';
import { argumentsByName, asGiven, inlineDeviceFn, inlineText } from './inline.ts';
import type { Lowering } from './lowering.ts';
import {
  absent,
  describe,
  functionOperand,
  nothing,
  poison,
  valueOperand,
  type Argument,
  type CallOperands,
  type CellBox,
  type FunctionOperand,
  type Operand,
  type RecordOperand,
  type SessionEnding,
  type SessionOperand,
} from './operand.ts';
import { argument, checkCount } from './arguments.ts';
import { captureText } from './text.ts';
import { bindConstant } from './variable.ts';
import {
  lowerMulticastPointer,
  lowerMulticastSize,
  lowerUnicastPointer,
  lowerWindowPointer,
} from './window-pointer.ts';
import { structMembers } from './struct-members.ts';

/** Returns an operand that calls a device function. */
export function deviceFnOperand(l: Lowering, fn: DeviceFn<unknown>): FunctionOperand {
  return functionOperand(fn.name, (call) => callDeviceFn(l, fn, call));
}

function callDeviceFn(l: Lowering, fn: DeviceFn<unknown>, call: CallOperands): Operand {
  const { role } = fn;
  switch (role.kind) {
    case 'inline':
      return inlineDeviceFn(l, fn, call.args, call);
    case 'intrinsic': {
      const accepted = acceptCall(l, fn.name, role.signature, call, role.pure);
      if (accepted === undefined) return poison;
      return role.pure
        ? pureCall(l, fn, accepted, call)
        : effectfulCall(l, fn.name, accepted, call, undefined, () => inlineDeviceFn(l, fn, accepted.args, call));
    }
    case 'primitive': {
      const accepted = acceptCall(l, fn.name, role.signature, call);
      if (accepted === undefined) return poison;
      const handle = role.result?.kind === 'handle' ? role.result : undefined;
      const result = role.result === undefined ? undefined : l.resultLocal(fn.name, resultType(role.result), call.span);
      const { statics, values: args } = accepted;
      l.emit({
        kind: 'call',
        name: fn.name,
        statics,
        args,
        span: call.span,
        ...(result === undefined ? {} : { local: result.local }),
      });
      return result === undefined ? nothing : valueOperand(result, handle);
    }
    case 'overloaded':
      return overloadedCall(l, fn.name, role, call);
    case 'windowPointer':
      return lowerWindowPointer(l, fn.name, call);
    case 'multicastPointer':
      return lowerMulticastPointer(l, fn.name, call);
    case 'unicastPointer':
      return lowerUnicastPointer(l, fn.name, call);
    case 'multicastSize':
      return lowerMulticastSize(l, fn.name, call);
    case 'withFields':
      return lowerWithFields(l, fn.name, call);
    case 'forms': {
      const chosen = chooseForm(l, fn.name, role.forms, call);
      const ordered = chosen && inOrder(l, fn.name, chosen, call);
      return chosen === undefined || ordered === undefined ? poison : callDeviceFn(l, chosen.fn, ordered);
    }
    case 'session':
      return makeSession(l, role.session, call);
  }
}

function resultType(result: ValueParam | HandleParam): Type {
  return result.kind === 'handle' ? handleType(result.handle) : valueTypeOf(result);
}

/**
 * The chosen function takes only the arguments that are not words, since the words have selected
 * it.
 */
function overloadedCall(
  l: Lowering,
  name: string,
  { signature, choose }: Extract<DeviceFnRole, { kind: 'overloaded' }>,
  call: CallOperands,
): Operand {
  const accepted = acceptCall(l, name, signature, call);
  if (accepted === undefined) return poison;
  const chosen = choose(givenTo(accepted));
  if (chosen.kind === 'refusal') return l.report(callReports.noOverload(call.span, name, chosen.reason, chosen.hint));
  const kinds = Object.values(signature.params);
  const args = accepted.args.filter((_, index) => kinds[index]?.kind !== 'word');
  return effectfulCall(l, name, accepted, call, undefined, () => inlineDeviceFn(l, chosen, args, call));
}

/** The types and words that a call passes, by the names of the parameters. */
function givenTo({ statics, types }: Accepted): OverloadArguments {
  const words: Record<string, string> = {};
  for (const entry of statics) if (entry.kind === 'word') words[entry.name] = entry.word;
  return { types: Object.fromEntries(types), words };
}

function lowerWithFields(l: Lowering, name: string, call: CallOperands): Operand {
  if (!checkCount(l, name, call, 2)) return poison;
  const { operand, span } = argument(call, 0);
  const struct = operand.kind === 'record' ? operand.struct : undefined;
  if (struct === undefined) {
    if (operand.kind === 'poison') return poison;
    return l.report(callReports.argumentKind(span, name, 'value', 'a struct', describe(operand)));
  }
  const members = structMembers(struct);
  const accepted = acceptCall(l, name, { params: { value: struct, fields: { kind: 'options', members } } }, call);
  const [value, fields] = accepted?.args ?? [];
  if (value?.operand.kind !== 'record' || fields?.operand.kind !== 'record') return poison;
  const given = [...fields.operand.members].filter(([, member]) => member.kind !== 'absent');
  return { ...value.operand, members: new Map([...value.operand.members, ...given]) };
}

/** Keeps a call of a pure intrinsic in the IR, if its result is a value. */
function pureCall(l: Lowering, fn: DeviceFn<unknown>, accepted: Accepted, call: CallOperands): Operand {
  const result = inlineDeviceFn(l, fn, accepted.args, call, asGiven);
  if (result.kind !== 'value') return result;
  const { statics, values } = accepted;
  return valueOperand(intrinsic(fn.name, statics, values, result.value, call.span), result.handle);
}

function effectfulCall(
  l: Lowering,
  name: string,
  { statics, values }: Accepted,
  call: CallOperands,
  session: number | undefined,
  lower: () => Operand,
): Operand {
  const { body, result } = l.collect(() => {
    const operand = lower();
    if (operand.kind !== 'value' || call.discard) return operand;
    const inLocal = operand.value.kind === 'local' && l.isStable(operand.value);
    return inLocal ? operand : valueOperand(l.temp('result', operand.value, call.span), operand.handle);
  });
  const local = result.kind === 'value' && result.value.kind === 'local' ? result.value.local : undefined;
  l.emit({
    kind: 'call',
    name,
    statics,
    args: values,
    body,
    span: call.span,
    ...(session === undefined ? {} : { session }),
    ...(local === undefined || call.discard ? {} : { local }),
  });
  return result;
}

/** Emits a session's constructor here, and its destructor at the end of the innermost block. */
function makeSession(l: Lowering, session: SessionDefinition, call: CallOperands): Operand {
  const accepted = acceptCall(l, session.name, session.signature, call);
  if (accepted === undefined) return poison;
  const id = l.newSession();
  const state = newState(l, session, call.span);
  const inline = (
    name: string,
    body: BodyFunction,
    { params }: SignatureHelp,
    args: readonly Argument[],
    inner: CallOperands,
    self: RecordOperand | SessionOperand = state.self,
  ): Operand => {
    const text = captureText(l, name, body, inner.span);
    if (text === undefined) return poison;
    const given = (): readonly Argument[] => [
      { operand: self, span: inner.span },
      argumentsByName(l, name, argumentNames(params), args, inner),
    ];
    return inlineText(l, { name, use: session.use, key: body, text }, given, inner);
  };
  effectfulCall(l, session.name, accepted, { ...call, discard: true }, id, () => {
    state.open();
    return inline(session.name, session.ctor, session.signature, accepted.args, call);
  });
  state.close();

  const sessions = itemAt(l.scopes, l.scopes.length - 1).sessions;
  const { dtor } = session;
  const end = `${session.name}.~`;
  const ending: SessionEnding = {
    end: (span) => {
      const closing: CallOperands = { args: [], span, discard: true };
      effectfulCall(l, end, { args: [], statics: [], values: [], types: new Map() }, closing, id, () => {
        const result = dtor === undefined ? nothing : inline(end, dtor, { params: {} }, [], closing);
        for (const part of state.endings.toReversed()) part.end(span);
        return result;
      });
    },
  };
  if (dtor !== undefined || state.endings.length > 0) sessions.push(ending);
  const members = new Map<string, FunctionOperand>();
  const made: SessionOperand = {
    kind: 'session',
    name: session.name,
    members,
    handOver: () => {
      const index = sessions.indexOf(ending);
      return index === -1 ? undefined : sessions.splice(index, 1)[0];
    },
  };
  for (const [name, part] of state.parts) {
    members.set(
      name,
      functionOperand(`${session.name}.${name}`, (inner) => (checkCount(l, name, inner, 0) ? part : poison)),
    );
  }
  for (const [method, { signature, body, composed }] of Object.entries(session.methods)) {
    const name = `${session.name}.${method}`;
    members.set(
      method,
      functionOperand(name, (inner) => {
        const given = acceptCall(l, name, signature, inner);
        if (given === undefined) return poison;
        if (composed) return inline(name, body, signature, given.args, inner, made);
        return effectfulCall(l, name, given, inner, id, () => inline(name, body, signature, given.args, inner));
      }),
    );
  }
  return made;
}

/**
 * The state of a new session: variables of each thread, and parts that the constructor binds once.
 */
function newState(
  l: Lowering,
  session: SessionDefinition,
  span: Span,
): {
  readonly self: RecordOperand;
  /** The caller then lowers the constructor's statements. */
  readonly open: () => void;
  readonly close: () => void;
  readonly parts: ReadonlyMap<string, SessionOperand>;
  readonly endings: readonly SessionEnding[];
} {
  const parts = new Map<string, SessionOperand>();
  const endings: SessionEnding[] = [];
  const cells = new Map<string, CellBox>();
  const members = new Map<string, Operand>();
  const fixed = new Set<string>();
  let open = false;
  let always = l.out;
  for (const [name, kind] of Object.entries(session.state)) {
    if (kind === 'fixed' || kind === 'part') fixed.add(name);
    else {
      const type = valueTypeOf(kind);
      cells.set(name, {
        cell: { kind: 'local', local: l.newLocal(`${session.name}.${name}`, type, span), type, name },
      });
    }
  }
  const self: RecordOperand = {
    kind: 'record',
    name: `the state of ${session.name}`,
    members,
    cells,
    bindFixed: (name, operand, at) => {
      if (!fixed.has(name)) return false;
      if (!open || members.has(name)) l.report(callReports.sessionAssignsFixed(at, name));
      else {
        members.set(name, bindConstant(l, `${session.name}.${name}`, operand, at));
        if (session.state[name] === 'part') bindPart(name, operand, at);
      }
      return true;
    },
  };
  const bindPart = (name: string, operand: Operand, at: Span): void => {
    if (operand.kind === 'poison') return;
    if (operand.kind !== 'session') {
      l.report(callReports.argumentKind(at, session.name, name, 'a session', describe(operand)));
      return;
    }
    // It ends with the whole session, even if a branch or loop created it.
    if (l.out !== always) l.report(callReports.sessionCopied(at));
    const ending = operand.handOver();
    if (ending !== undefined) endings.push(ending);
    parts.set(name, operand);
  };
  const begin = (): void => {
    open = true;
    always = l.out;
  };
  const close = (): void => {
    open = false;
    // To test if a part was created, the methods compare it with `undefined`.
    for (const [name, kind] of Object.entries(session.state)) {
      if (kind === 'part' && !members.has(name)) members.set(name, absent);
    }
  };
  return { self, open: begin, close, parts, endings };
}

/**
 * A parameter of the kernel, or a field of a handle, as an operand; `leaf` returns the value under
 * a (dotted) name.
 */
export function paramOperand(
  type: ParamType,
  name: string,
  leaf: (name: string, type: ParamType) => Expression,
): Operand {
  switch (type.kind) {
    case 'scalar':
    case 'vector':
    case 'pointer':
      return valueOperand(leaf(name, type));
    case 'handle':
      return valueOperand(leaf(name, type), type);
    case 'struct':
      return structOperand(type, (member, field) => paramOperand(field, `${name}.${member}`, leaf));
  }
}

export function structOperand(struct: StructParam, member: (name: string, type: ParamType) => Operand): RecordOperand {
  const members = new Map<string, Operand>();
  for (const [name, type] of Object.entries(struct.fields)) members.set(name, member(name, type));
  for (const [name, type] of Object.entries(struct.types)) members.set(name, { kind: 'type', type: valueTypeOf(type) });
  return { kind: 'record', name: `a ${struct.struct}`, members, struct };
}

/**
 * Returns a method of a handle or struct. It is a device function whose first parameter is the
 * value.
 */
export function methodOperand(
  l: Lowering,
  owner: HandleParam | StructParam,
  self: Operand,
  name: string,
  span: Span,
): FunctionOperand | undefined {
  const method = Object.hasOwn(owner.methods, name) ? owner.methods[name] : undefined;
  if (method === undefined) return undefined;
  return functionOperand(name, (call) =>
    callDeviceFn(l, method, { ...call, args: [{ operand: self, span }, ...call.args] }),
  );
}
