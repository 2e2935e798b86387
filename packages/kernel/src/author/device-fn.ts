import { NcclError } from '@nccl-ts/core';
import { argumentNames, type ArgumentsOf, type DeviceParams, type GivenOf } from './accept.ts';
import type { AuthorOf, Phantom } from './phantom.ts';
import type { Builtins } from './builtins.ts';
import type { HandleParam, StructParam, TypeAuthor, ValueParam } from './param-type.ts';
import type { Ptr, TypeFn } from './value.ts';

/** The values that `use` may contain: constants, types, device functions, device modules. */
export type UseValue =
  | number
  | bigint
  | boolean
  | string
  | ValueParam
  | StructParam
  | DeviceFn<unknown>
  | DeviceModule<unknown>;
export type Use = Readonly<Record<string, UseValue>>;

/** The fields of a struct, without its methods. */
export type FieldsOf<Author> = {
  readonly [
    Name in keyof Author as Author[Name] extends TypeFn
      ? Name
      : Author[Name] extends (...args: never[]) => unknown
        ? never
        : Name
  ]: Author[Name];
};

/** The types in a body of the values that `use` contains. */
export type UseAuthor<U extends Use> = {
  readonly [Name in keyof U]: U[Name] extends number | bigint
    ? number
    : U[Name] extends boolean
      ? boolean
      : U[Name] extends string
        ? U[Name]
        : U[Name] extends ValueParam
          ? TypeAuthor<U[Name]>
          : U[Name] extends StructParam<infer Author>
            ? (fields: FieldsOf<Author>) => Author
            : AuthorOf<U[Name]>;
};

export interface SignatureHelp {
  /** The parameters in order. An argument whose name ends in `?` is optional. */
  readonly params: DeviceParams;
}

/**
 * The arguments of a call of an overloaded intrinsic, as far as the compiler knows them, by the
 * names of the parameters.
 */
export interface OverloadArguments {
  /** Type arguments, and the element types of pointer arguments. */
  readonly types: Readonly<Record<string, ValueParam>>;
  readonly words: Readonly<Record<string, string>>;
}

/** The reason why no form fits a call, and a suggestion. */
export interface OverloadRefusal {
  readonly kind: 'refusal';
  readonly reason: string;
  readonly hint: string;
}

/** The function that should have been called. */
export type ChooseOverload = (given: OverloadArguments) => DeviceFn<unknown> | OverloadRefusal;

/** How the compiler treats a device function. */
export type DeviceFnRole =
  /**
   * Is inlined, and leaves no call in the IR. With `names`, the body finds its arguments by these
   * names in its second parameter.
   */
  | { readonly kind: 'inline'; readonly names?: readonly string[] }
  /**
   * A call in the IR that contains its inlined body. A `pure` call is an expression. The body finds
   * its arguments by the names of the signature.
   */
  | { readonly kind: 'intrinsic'; readonly pure: boolean; readonly signature: SignatureHelp }
  /**
   * A call in the IR without a body. A backend implements it or refuses the kernel. `result` is its
   * type, if it has one.
   */
  | {
      readonly kind: 'primitive';
      readonly signature: SignatureHelp;
      readonly result: ValueParam | HandleParam | undefined;
    }
  /** An intrinsic whose body depends on its arguments. */
  | { readonly kind: 'overloaded'; readonly signature: SignatureHelp; readonly choose: ChooseOverload }
  /** An expression of the IR: the address of a byte of a window at an LSA peer. */
  | { readonly kind: 'windowPointer' }
  /** Expressions of the IR that take multicast addresses. */
  | { readonly kind: 'multicastPointer' | 'unicastPointer' | 'multicastSize' }
  /** A struct with some fields replaced. */
  | { readonly kind: 'withFields' }
  /** One of several functions, chosen by the arguments. */
  | { readonly kind: 'forms'; readonly forms: readonly OverloadForm[] }
  /** Makes a session. */
  | { readonly kind: 'session'; readonly session: SessionDefinition };

/**
 * One form of an overloaded function: the arguments that select it, and the function that is then
 * called.
 */
export interface OverloadForm extends SignatureHelp {
  readonly fn: DeviceFn<unknown>;
  /**
   * If present, the last argument is an object literal whose members are the other arguments of
   * `fn`, an intrinsic, by their names. These are the values of members that are left out.
   */
  readonly named?: Readonly<Record<string, number>>;
}

/**
 * A function in the kernel language. The compiler captures its text and inlines it at each call.
 */
export interface DeviceFn<F> extends Phantom<F> {
  readonly kind: 'deviceFn';
  readonly name: string;
  readonly use: Use;
  /** `undefined` for primitives and sessions. */
  readonly body: BodyFunction | undefined;
  readonly role: DeviceFnRole;
}

/**
 * A method of a handle or struct: a device function whose first parameter is the value. Of several
 * signatures of `F` it has the last.
 */
export type DeviceMethod<Self, F extends (...args: never[]) => unknown> = DeviceFn<
  (self: Self, ...args: Parameters<F>) => ReturnType<F>
>;

/** A function whose text is captured. It is never called. */
export type BodyFunction = (...args: never[]) => unknown;

/** A named set of device functions, types and constants, as in `use: { lsa }`. */
export interface DeviceModule<Author> extends Phantom<Author> {
  readonly kind: 'deviceModule';
  readonly name: string;
  readonly members: Use;
}

/**
 * The state of a session. A value type declares a variable of each thread. The constructor binds a
 * `'fixed'` entry once, to anything. A `'part'` is a session that the constructor may create. It
 * ends with this session, and `session.name()` returns it. A part that was not created is
 * `undefined` in the methods, and the session has no such member.
 */
export type SessionState<State = unknown> = Readonly<Record<string, ValueParam | 'fixed' | 'part'>> & Phantom<State>;

export interface SessionDefinition {
  readonly name: string;
  readonly use: Use;
  readonly state: SessionState;
  readonly signature: SignatureHelp;
  readonly ctor: BodyFunction;
  readonly methods: Readonly<Record<string, SessionMethod>>;
  readonly dtor: BodyFunction | undefined;
}

export interface SessionMethod {
  readonly signature: SignatureHelp;
  readonly body: BodyFunction;
  /**
   * Consists of calls of the session's other methods, and only those calls remain after inlining.
   */
  readonly composed: boolean;
}

/** The first parameter of a body: the built-ins and the values that `use` names. */
export type Context<U extends Use> = Builtins & UseAuthor<U>;

/**
 * Defines a function that kernels can call. Pass it to a kernel through `use`. The compiler inlines
 * it at each call. Its arguments may be values, types, groups and arrow functions. Its text is
 * captured like a kernel's.
 */
export function deviceFn<const U extends Use, A extends readonly unknown[], R>(
  definition: { readonly name: string; readonly use?: U },
  body: (context: Context<U>, ...args: A) => R,
): DeviceFn<(...args: A) => R> {
  return makeDeviceFn(definition.name, definition.use, body, { kind: 'inline' });
}

/**
 * Defines a device function that remains a call in the IR, so that a backend can emit its own code
 * for it. The body is the portable definition. Its second parameter has the arguments of the call,
 * by the names in `params`. A `pure` body has no side effects. Packages that define device API use
 * it.
 */
export function intrinsic<const U extends Use, const P extends DeviceParams, F extends (...args: never[]) => unknown>(
  definition: { readonly name: string; readonly use?: U; readonly pure?: boolean; readonly params: P },
  body: (context: Context<U>, call: ArgumentsOf<P>) => unknown,
): DeviceFn<F> {
  const { pure = false, params } = definition;
  return makeDeviceFn(definition.name, definition.use, body, { kind: 'intrinsic', pure, signature: { params } });
}

/**
 * Defines an intrinsic with side effects whose portable body depends on the types and words of its
 * arguments. It corresponds to a template specialisation in C++. `choose` must return the same
 * result for the same arguments. If it refuses them, the compiler reports an error at the call. The
 * chosen function takes the arguments except the words.
 */
export function overloaded<F extends (...args: never[]) => unknown>(definition: {
  readonly name: string;
  readonly params: DeviceParams;
  readonly choose: ChooseOverload;
}): DeviceFn<F> {
  const { params, choose } = definition;
  return makeDeviceFn(definition.name, undefined, undefined, { kind: 'overloaded', signature: { params }, choose });
}

/**
 * Defines a device function without a body. A backend implements it, or refuses kernels that call
 * it. `result` is the type of its result, a value or a handle.
 */
export function primitive<F extends (...args: never[]) => unknown>(definition: {
  readonly name: string;
  readonly params: DeviceParams;
  readonly result?: ValueParam | HandleParam;
}): DeviceFn<F> {
  const role: DeviceFnRole = { kind: 'primitive', signature: { params: definition.params }, result: definition.result };
  return makeDeviceFn(definition.name, undefined, undefined, role);
}

/**
 * Combines several device functions under one name, like overloads in C++. A call selects the first
 * one whose `params` are of the kinds of its arguments. Types of one kind are not distinguished,
 * such as integers of several widths or pointers to several types. The chosen function takes the
 * arguments unchanged. Packages that define device API use it.
 */
export function forms<F>(definition: { readonly name: string; readonly forms: readonly OverloadForm[] }): DeviceFn<F> {
  const list = definition.forms.map((one) => Object.freeze({ ...one }));
  return makeDeviceFn(definition.name, undefined, undefined, { kind: 'forms', forms: Object.freeze(list) });
}

/**
 * Makes a form from a body whose second parameter has the arguments of the call, by the names in
 * `params`. They are those that the author passes, not converted.
 */
export function form<const U extends Use, const P extends DeviceParams>(
  definition: { readonly name: string; readonly use?: U; readonly params: P },
  body: (context: Context<U>, call: GivenOf<P>) => unknown,
): OverloadForm {
  const { name, use, params } = definition;
  return { params, fn: makeDeviceFn(name, use, body, { kind: 'inline', names: argumentNames(params) }) };
}

/**
 * `windowPointer(win, T, offset, peer)`: the address of byte `offset` of the window's copy at LSA
 * rank `peer`, which device packages turn into pointers. The call does not check the offset. An
 * access through the pointer faults if it is outside the window.
 */
export const windowPointer: DeviceFn<(window: unknown, type: TypeFn, offset: number, peer: number) => Ptr> =
  makeDeviceFn('windowPointer', undefined, undefined, { kind: 'windowPointer' });

/**
 * `multicastPointer(win, T, offset, group)`: the multicast address of byte `offset` of the window,
 * over the ranks of `group`. `group` is the `mcBasePtr` of a multimem handle. If it is 0, the
 * result is a null pointer. A plain access through the address is a fault.
 */
export const multicastPointer: DeviceFn<(window: unknown, type: TypeFn, offset: number, group: number) => Ptr> =
  makeDeviceFn('multicastPointer', undefined, undefined, { kind: 'multicastPointer' });

/**
 * `unicastPointer(p, member)`: the address that the multicast address `p` has at member `member` of
 * its group. Only the portable bodies of device packages use it, because GPUs cannot compute it.
 * The call does not check `member`: if the group has no such member, the pointer is invalid.
 */
export const unicastPointer: DeviceFn<(pointer: Ptr, member: number) => Ptr> = makeDeviceFn(
  'unicastPointer',
  undefined,
  undefined,
  { kind: 'unicastPointer' },
);

/**
 * `multicastSize(p)`: the number of members in the group of a multicast address, as an i32. It is 0
 * for any other pointer.
 */
export const multicastSize: DeviceFn<(pointer: Ptr) => number> = makeDeviceFn('multicastSize', undefined, undefined, {
  kind: 'multicastSize',
});

/**
 * `withFields(value, { name: other })`: a copy of the struct `value` with some fields (and types)
 * replaced. Device packages use it for methods that return a changed copy of their struct.
 */
export const withFields: DeviceFn<<S extends object>(value: S, fields: Partial<S>) => S> = makeDeviceFn(
  'withFields',
  undefined,
  undefined,
  { kind: 'withFields' },
);

/** Gathers device functions, types and constants under one name. */
export function deviceModule<Author>(
  name: string,
  members: { readonly [Name in keyof NoInfer<Author>]: UseValue },
): DeviceModule<Author> {
  return Object.freeze({ kind: 'deviceModule', name, members: Object.freeze({ ...members }) });
}

export function makeDeviceFn<F>(
  name: string,
  use: Use | undefined,
  body: BodyFunction | undefined,
  role: DeviceFnRole,
): DeviceFn<F> {
  if (typeof name !== 'string' || name === '') {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `A device function needs a name; given ${JSON.stringify(name)}.`);
  }
  return Object.freeze({ kind: 'deviceFn', name, use: Object.freeze({ ...use }), body, role: Object.freeze(role) });
}
