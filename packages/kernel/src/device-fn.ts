import { NcclError } from '@nccl-ts/core';
import type { AuthorOf, Phantom } from './author/phantom.ts';
import type { Builtins } from './author/builtins.ts';
import type { AddressSpace } from '@nccl-ts/ir';
import type { HandleParam, ParamType, StructParam, TypeAuthor, ValueParam } from './author/param-type.ts';
import type { Ptr, TypeFn } from './author/value.ts';

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

/**
 * The requirement on an argument of an intrinsic. It may be a value of a type (converted as C++
 * converts arguments), a handle or struct, or any pointer. It may be a pointer to the type that an
 * earlier argument names, or the type that a pointer points to. It may also be any integer (in its
 * own type), a type, a group, a word of a list, an options object, a function, or anything.
 */
export type Accept =
  | ParamType
  /** Restricted to one address space if `space` is set. */
  | { readonly kind: 'anyPointer'; readonly space?: AddressSpace }
  | { readonly kind: 'pointerTo'; readonly type: string }
  | { readonly kind: 'anyInteger' }
  | { readonly kind: 'anyValue' }
  /** A value of the type that the earlier pointer argument `of` points to. */
  | { readonly kind: 'element'; readonly of: string }
  | { readonly kind: 'type' }
  | { readonly kind: 'coop' }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'constant' }
  | { readonly kind: 'options'; readonly members: Readonly<Record<string, Accept>> }
  | { readonly kind: 'function' };

export interface Signature {
  /** In order; a name that ends in `?` may be left out. */
  readonly params: Readonly<Record<string, Accept>>;
}

/**
 * The arguments of a call of an overloaded intrinsic, as far as the compiler knows them, by the
 * names of the parameters.
 */
export interface OverloadGiven {
  /** Types, and of pointers the types of their elements. */
  readonly types: Readonly<Record<string, ValueParam>>;
  readonly words: Readonly<Record<string, string>>;
}

/** The reason why no form fits a call, and a suggestion. */
export interface OverloadRefusal {
  readonly kind: 'refusal';
  readonly reason: string;
  readonly hint: string;
}

/** The function that is meant. */
export type ChooseOverload = (given: OverloadGiven) => DeviceFn<unknown> | OverloadRefusal;

/** The compiler's treatment of a device function. */
export type DeviceFnRole =
  /** Inlined without a trace. */
  | { readonly kind: 'inline' }
  /** A call in the IR that carries its inlined body; `pure` ones are expressions. */
  | { readonly kind: 'intrinsic'; readonly pure: boolean; readonly signature: Signature }
  /**
   * A call in the IR without a body: backends implement it or lack it. `result` is its type, if it
   * has one.
   */
  | { readonly kind: 'primitive'; readonly signature: Signature; readonly result: ValueParam | HandleParam | undefined }
  /** An intrinsic whose body depends on its arguments. */
  | { readonly kind: 'overloaded'; readonly signature: Signature; readonly choose: ChooseOverload }
  /** The address of a byte of a window at an LSA peer: an expression of the IR. */
  | { readonly kind: 'windowPointer' }
  /** Expressions of the IR on multicast addresses. */
  | { readonly kind: 'multicastPointer' | 'unicastPointer' | 'multicastSize' }
  /** A struct with some fields replaced. */
  | { readonly kind: 'withFields' }
  /** One of several functions, chosen by the arguments. */
  | { readonly kind: 'forms'; readonly forms: readonly Form[] }
  /** Makes a session. */
  | { readonly kind: 'session'; readonly session: SessionDefinition };

/**
 * One form of an overloaded function: the arguments that select it, and the function that is then
 * called.
 */
export interface Form extends Signature {
  readonly fn: DeviceFn<unknown>;
}

/** A function of the kernel language, captured from its text and inlined where it is called. */
export interface DeviceFn<F> extends Phantom<F> {
  readonly kind: 'deviceFn';
  readonly name: string;
  readonly use: Use;
  /** `undefined` for primitives and sessions. */
  readonly body: BodyFunction | undefined;
  readonly role: DeviceFnRole;
}

/** Any function whose text is captured; it is never called. */
export type BodyFunction = (...args: never[]) => unknown;

/** A named set of device functions, types and constants, as in `use: { lsa }`. */
export interface DeviceModule<Author> extends Phantom<Author> {
  readonly kind: 'deviceModule';
  readonly name: string;
  readonly members: Use;
}

/**
 * State of a session: a value type is a variable of each thread. `'fixed'` is bound once, to
 * anything, by the constructor. A `'part'` is a session that the constructor may make, that ends
 * with this one, and that `session.name()` returns. A part that was not made is `undefined` in the
 * methods, and no member of the session.
 */
export type SessionState = Readonly<Record<string, ValueParam | 'fixed' | 'part'>>;

export interface SessionDefinition {
  readonly name: string;
  readonly use: Use;
  readonly state: SessionState;
  readonly signature: Signature;
  readonly ctor: BodyFunction;
  readonly methods: Readonly<Record<string, SessionMethod>>;
  readonly dtor: BodyFunction | undefined;
}

export interface SessionMethod {
  readonly signature: Signature;
  readonly body: BodyFunction;
  /**
   * Consists of calls of the session's other methods, and only those calls remain after inlining.
   */
  readonly composed: boolean;
}

/** The first parameter of a body: the built-ins and the values that `use` names. */
export type Context<U extends Use> = Builtins & UseAuthor<U>;

/**
 * A function that kernels can call: passed to them through `use`, inlined at each call, generic in
 * its arguments (types, groups and arrow functions may be passed). Its text is captured as a
 * kernel's is.
 */
export function deviceFn<const U extends Use, A extends readonly unknown[], R>(
  definition: { readonly name: string; readonly use?: U },
  body: (context: Context<U>, ...args: A) => R,
): DeviceFn<(...args: A) => R> {
  return make(definition.name, definition.use, body, { kind: 'inline' });
}

/**
 * A device function that stays a call in the IR, so that a backend may emit its own code for it;
 * the body is the portable definition. For packages that define device API. A `pure` body computes
 * and returns, without side effects.
 */
export function intrinsic<const U extends Use, F extends (...args: never[]) => unknown>(
  definition: {
    readonly name: string;
    readonly use?: U;
    readonly pure?: boolean;
    readonly params: Signature['params'];
  },
  body: (context: Context<U>, ...args: never[]) => unknown,
): DeviceFn<F> {
  const { pure = false, params } = definition;
  return make(definition.name, definition.use, body, { kind: 'intrinsic', pure, signature: { params } });
}

/**
 * An intrinsic with side effects whose portable body depends on the types and words of its
 * arguments, as C++ selects a specialisation of a template. `choose` must return the same result
 * for the same arguments. If it refuses them, the compiler reports that at the call. The chosen
 * function takes the arguments without the words.
 */
export function overloaded<F extends (...args: never[]) => unknown>(definition: {
  readonly name: string;
  readonly params: Signature['params'];
  readonly choose: ChooseOverload;
}): DeviceFn<F> {
  const { params, choose } = definition;
  return make(definition.name, undefined, undefined, { kind: 'overloaded', signature: { params }, choose });
}

/**
 * A device function without a body. A backend implements it, or refuses kernels that call it.
 * `result` is the type of its result, a value or a handle.
 */
export function primitive<F extends (...args: never[]) => unknown>(definition: {
  readonly name: string;
  readonly params: Signature['params'];
  readonly result?: ValueParam | HandleParam;
}): DeviceFn<F> {
  const role: DeviceFnRole = { kind: 'primitive', signature: { params: definition.params }, result: definition.result };
  return make(definition.name, undefined, undefined, role);
}

/**
 * Several device functions under one name, as overloads in C++. A call selects the first one whose
 * `params` are of the kinds of its arguments. Types of one kind (integers of several widths,
 * pointers to several types) are not distinguished. The chosen function takes the arguments
 * unchanged. For packages that define device API.
 */
export function forms<F>(definition: { readonly name: string; readonly forms: readonly Form[] }): DeviceFn<F> {
  const list = definition.forms.map((form) => Object.freeze({ ...form }));
  return make(definition.name, undefined, undefined, { kind: 'forms', forms: Object.freeze(list) });
}

/**
 * `windowPointer(win, T, offset, peer)`: the address of byte `offset` of the window's copy at LSA
 * rank `peer`, from which device packages make their pointers. No check: an access through it
 * faults where it leaves the window.
 */
export const windowPointer: DeviceFn<(window: unknown, type: TypeFn, offset: number, peer: number) => Ptr> = make(
  'windowPointer',
  undefined,
  undefined,
  { kind: 'windowPointer' },
);

/** A method of a session, as its package writes it. */
export interface MethodDefinition {
  readonly params: Signature['params'];
  /** Its second parameter is the session's state; of a composed method, the session itself. */
  readonly body: BodyFunction;
  /**
   * True if the method consists of calls of the session's other methods, and leaves no call of its
   * own after inlining. Default: false.
   */
  readonly composed?: boolean;
}

/**
 * `multicastPointer(win, T, offset, group)`: the multicast address of byte `offset` of the window,
 * over the ranks that `group` names: the `mcBasePtr` of a multimem handle, 0 for none. Null for
 * none. A plain access through it is a fault.
 */
export const multicastPointer: DeviceFn<(window: unknown, type: TypeFn, offset: number, group: number) => Ptr> = make(
  'multicastPointer',
  undefined,
  undefined,
  { kind: 'multicastPointer' },
);

/**
 * `unicastPointer(p, member)`: the address that the multicast address `p` has at member `member` of
 * its group. For the portable bodies of device packages: GPUs cannot compute it. There is no check:
 * for a member that the group lacks, the pointer is invalid.
 */
export const unicastPointer: DeviceFn<(pointer: Ptr, member: number) => Ptr> = make(
  'unicastPointer',
  undefined,
  undefined,
  { kind: 'unicastPointer' },
);

/**
 * `multicastSize(p)`: the number of members in the group of a multicast address, an i32; 0 for any
 * other pointer.
 */
export const multicastSize: DeviceFn<(pointer: Ptr) => number> = make('multicastSize', undefined, undefined, {
  kind: 'multicastSize',
});

/**
 * `withFields(value, { name: other })`: a copy of the struct `value` with some fields (and types)
 * replaced. Device packages use it for methods that return a changed copy of their struct.
 */
export const withFields: DeviceFn<<S extends object>(value: S, fields: Partial<S>) => S> = make(
  'withFields',
  undefined,
  undefined,
  { kind: 'withFields' },
);

/**
 * A class of objects that live in a kernel from their declaration to the end of its block. They
 * cannot be copied, reassigned or returned. `ctor`, the methods and `dtor` are functions in the
 * kernel language. Their second parameter is the session's state; the arguments of the call follow
 * it. The destructor runs once for all threads on every exit from the block.
 *
 * @returns the function that makes a session, for use in a device module.
 */
export function deviceSession<F extends (...args: never[]) => unknown>(definition: {
  readonly name: string;
  readonly use?: Use;
  readonly state: SessionState;
  readonly params: Signature['params'];
  readonly ctor: BodyFunction;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
  readonly dtor?: BodyFunction;
}): DeviceFn<F> {
  const methods = Object.fromEntries(
    Object.entries(definition.methods).map(([name, { params, body, composed = false }]) => [
      name,
      { signature: { params }, body, composed },
    ]),
  );
  const session: SessionDefinition = Object.freeze({
    name: definition.name,
    use: definition.use ?? {},
    state: definition.state,
    signature: { params: definition.params },
    ctor: definition.ctor,
    methods,
    dtor: definition.dtor,
  });
  return make(definition.name, definition.use, undefined, { kind: 'session', session });
}

/** Gathers device functions, types and constants under one name. */
export function deviceModule<Author>(name: string, members: Use): DeviceModule<Author> {
  return Object.freeze({ kind: 'deviceModule', name, members: Object.freeze({ ...members }) });
}

function make<F>(name: string, use: Use | undefined, body: BodyFunction | undefined, role: DeviceFnRole): DeviceFn<F> {
  if (typeof name !== 'string' || name === '') {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `A device function needs a name; given ${JSON.stringify(name)}.`);
  }
  return Object.freeze({ kind: 'deviceFn', name, use: Object.freeze({ ...use }), body, role: Object.freeze(role) });
}
