import type { ArgumentsOf, DeviceParams } from './accept.ts';
import type { ValueParam } from './param-type.ts';
import {
  makeDeviceFn,
  type Context,
  type DeviceFn,
  type SessionDefinition,
  type SessionMethod,
  type SessionState,
  type Use,
} from './device-fn.ts';

/** Declares the state of a session, of the type `State` in the bodies. */
export function sessionState<State>(entries: {
  readonly [Name in keyof State]: ValueParam | 'fixed' | 'part';
}): SessionState<State> {
  return Object.freeze({ ...entries });
}

/**
 * A method of a session, as a package defines it. The body takes the session's state, and the
 * arguments of the call by the names in `params`.
 */
export type MethodDefinition<U extends Use, State, Session, P extends DeviceParams> =
  | {
      readonly params: P;
      readonly composed?: false;
      readonly body: (context: Context<U>, self: State, call: ArgumentsOf<P>) => unknown;
    }
  | {
      readonly params: P;
      /**
       * The body takes the session itself, and only calls its other methods. After inlining, the IR
       * has those calls and none of this method.
       */
      readonly composed: true;
      readonly body: (context: Context<U>, self: Session, call: ArgumentsOf<P>) => unknown;
    };

/**
 * Defines a class of objects that live in a kernel from their declaration to the end of the
 * enclosing block. They cannot be copied, reassigned or returned. `ctor`, the methods and `dtor`
 * are functions in the kernel language. Their second parameter is the session's state, and the
 * third has the arguments of the call. On every exit from the block, all threads run the destructor
 * once.
 *
 * @returns the function that makes a session, for use in a device module.
 */
export function deviceSession<
  F extends (...args: never[]) => unknown,
  const U extends Use,
  State,
  const P extends DeviceParams,
  const M extends Readonly<Record<string, DeviceParams>>,
>(definition: {
  readonly name: string;
  readonly use?: U;
  readonly state: SessionState<State>;
  readonly params: P;
  readonly ctor: (context: Context<U>, self: State, call: ArgumentsOf<P>) => void;
  readonly methods: { readonly [Name in keyof M]: MethodDefinition<U, State, ReturnType<F>, M[Name]> };
  readonly dtor?: (context: Context<U>, self: State) => void;
}): DeviceFn<F> {
  const { name, use, state, params, ctor, dtor } = definition;
  const methods: Record<string, SessionMethod> = {};
  for (const method in definition.methods) {
    const { params: taken, body, composed = false } = definition.methods[method];
    methods[method] = { signature: { params: taken }, body, composed };
  }
  const session: SessionDefinition = Object.freeze({
    name,
    use: use ?? {},
    state,
    signature: { params },
    ctor,
    methods: Object.freeze(methods),
    dtor,
  });
  return makeDeviceFn(name, use, undefined, { kind: 'session', session });
}
