import {
  memoryOrders,
  memoryProxies,
  memoryScopes,
  type MemoryOrder,
  type MemoryProxy,
  type MemoryScope,
} from '@nccl-ts/core';
import type { AddressSpace } from '@nccl-ts/ir';
import type { ParamType } from './param-type.ts';
import type { AuthorOf, Phantom } from './phantom.ts';
import type { Coop, Ptr, TypeFn } from './value.ts';

/**
 * The requirement on an argument of a device function. It may be a value of a type (converted as
 * C++ converts arguments), a handle or struct, or any pointer. It may be a pointer to the type that
 * an earlier argument names, or the type that a pointer points to. It may also be any integer (in
 * its own type), a type, a group, a word of a list, an options object, a function, or anything.
 */
export type Accept =
  | ParamType
  | AnyPointerParam
  | PointerToParam
  | AnyIntegerParam
  | AnyValueParam<unknown>
  | ElementParam
  | TypeParam
  | CoopParam
  | WordParam
  | ConstantParam<number | boolean>
  | { readonly kind: 'options'; readonly members: Readonly<Record<string, Accept>> }
  | FunctionParam<unknown>;

/** A pointer to any type. Restricted to one address space if `space` is set. */
export interface AnyPointerParam extends Phantom<Ptr> {
  readonly kind: 'anyPointer';
  readonly space?: AddressSpace;
}

/** A pointer to elements of the earlier argument `type`. */
export interface PointerToParam extends Phantom<Ptr> {
  readonly kind: 'pointerTo';
  readonly type: string;
}

/** An integer, which keeps its own type. */
export interface AnyIntegerParam extends Phantom<number> {
  readonly kind: 'anyInteger';
}

/** A number, a vector or a pointer, of any type. */
export interface AnyValueParam<T = number> extends Phantom<T> {
  readonly kind: 'anyValue';
}

/** A value of the element type of the earlier pointer argument `of`. */
export interface ElementParam extends Phantom<number> {
  readonly kind: 'element';
  readonly of: string;
}

/** A type, such as `f32`. */
export interface TypeParam extends Phantom<TypeFn> {
  readonly kind: 'type';
}

/** A group of threads: one of the language's, or an object of the author. */
export interface CoopParam extends Phantom<Coop> {
  readonly kind: 'coop';
}

/** A word of a list. */
export interface WordParam<W extends string = string> extends Phantom<W> {
  readonly kind: 'word';
  readonly words: readonly W[];
}

/** A compile-time integer or boolean. */
export interface ConstantParam<T extends number | boolean> extends Phantom<T> {
  readonly kind: 'constant';
}

/** An object literal, whose members may all be missing. */
export interface OptionsParam<Options> extends Phantom<Options> {
  readonly kind: 'options';
  readonly members: { readonly [Name in keyof Options]-?: Accept };
}

/** A function of the author. */
export interface FunctionParam<F> extends Phantom<F> {
  readonly kind: 'function';
}

export const anyPointerParam: AnyPointerParam = Object.freeze({ kind: 'anyPointer' });
export const anyIntegerParam: AnyIntegerParam = Object.freeze({ kind: 'anyInteger' });
export const anyValueParam: AnyValueParam = Object.freeze({ kind: 'anyValue' });
export const typeParam: TypeParam = Object.freeze({ kind: 'type' });
export const coopParam: CoopParam = Object.freeze({ kind: 'coop' });
/** A compile-time integer. */
export const constantParam: ConstantParam<number> = Object.freeze({ kind: 'constant' });
/** A compile-time boolean. */
export const flagParam: ConstantParam<boolean> = Object.freeze({ kind: 'constant' });
export const orderParam: WordParam<MemoryOrder> = /* @__PURE__ */ wordParam(memoryOrders);
export const scopeParam: WordParam<MemoryScope> = /* @__PURE__ */ wordParam(memoryScopes);
export const proxyParam: WordParam<MemoryProxy> = /* @__PURE__ */ wordParam(memoryProxies);

/** One of `words`. */
export function wordParam<const W extends string>(words: readonly W[]): WordParam<W> {
  return Object.freeze({ kind: 'word', words });
}

/** The parameters of a device function, in order. One whose name ends in `?` is optional. */
export type DeviceParams = Readonly<Record<string, Accept>>;

type NameOf<Name> = Name extends `${infer Base}?` ? Base : Name;

/**
 * The arguments of a call as the author passes them, by the names of the parameters. An argument
 * that was not given is `undefined`.
 */
export type GivenOf<P extends DeviceParams> = {
  readonly [Name in keyof P as NameOf<Name>]: Name extends `${string}?`
    ? AuthorOf<P[Name]> | undefined
    : AuthorOf<P[Name]>;
};

/**
 * The arguments of a call after they were compared with the parameters. Options that were not given
 * are an object whose members are all `undefined`.
 */
export type ArgumentsOf<P extends DeviceParams> = {
  readonly [Name in keyof P as NameOf<Name>]: Name extends `${string}?`
    ? P[Name] extends { readonly kind: 'options' }
      ? Partial<AuthorOf<P[Name]>>
      : AuthorOf<P[Name]> | undefined
    : AuthorOf<P[Name]>;
};

/** The names under which a body finds its arguments. */
export function argumentNames(params: DeviceParams): readonly string[] {
  return Object.keys(params).map((name) => name.replace(/\?$/, ''));
}
