import { window, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, u32, u64, type Accept, type DeviceFn } from '@nccl-ts/kernel';

/**
 * An effect at the peer after a request has arrived: an addition to a u64. `gin.strongSignalInc`
 * and similar functions create one.
 *
 * A read or wait with acquire order that sees a *strong* signal makes visible every earlier put to
 * that peer on that context. A *weak* signal makes visible only the put that carries it.
 */
export interface RemoteAction {
  readonly strength: 'strong' | 'weak' | 'legacy';
  readonly modify: 'inc' | 'add';
  readonly at: 'id' | 'va';
  /** For an indexed signal. */
  readonly signal?: number;
  /** For a signal at an address: the word at `offset` of the peer's copy. */
  readonly window?: Window;
  readonly offset?: number;
  /** The addend; 1 for `inc`. */
  readonly value?: number;
}

/** An options object in a body. Missing members are undefined. */
export type Absentable<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/**
 * An effect at the calling rank once a request's source may be reused: a counter is incremented.
 */
export interface LocalAction {
  readonly counter: number;
}

export const remoteAction: Accept = {
  kind: 'options',
  members: {
    strength: { kind: 'word', words: ['strong', 'weak', 'legacy'] },
    modify: { kind: 'word', words: ['inc', 'add'] },
    at: { kind: 'word', words: ['id', 'va'] },
    signal: u32,
    window,
    offset: addr,
    value: u64,
  },
};

export const localAction: Accept = { kind: 'options', members: { counter: u32 } };

/**
 * Adds 1 to the signal; strong. Do not mix it with other changes of the same signal unless you
 * reset the signal in between.
 *
 * @see ncclGin_StrongSignalInc
 */
export const strongSignalInc: DeviceFn<(signal: number) => RemoteAction> = deviceFn(
  { name: 'gin.strongSignalInc' },
  (_context, signal: number) => ({ strength: 'strong', modify: 'inc', at: 'id', signal }),
);

/** Adds `value` to the signal; strong. @see ncclGin_StrongSignalAdd */
export const strongSignalAdd: DeviceFn<(signal: number, value: number) => RemoteAction> = deviceFn(
  { name: 'gin.strongSignalAdd' },
  (_context, signal: number, value: number) => ({ strength: 'strong', modify: 'add', at: 'id', signal, value }),
);

/** Adds 1 to the signal; weak. @see ncclGin_WeakSignalInc */
export const weakSignalInc: DeviceFn<(signal: number) => RemoteAction> = deviceFn(
  { name: 'gin.weakSignalInc' },
  (_context, signal: number) => ({ strength: 'weak', modify: 'inc', at: 'id', signal }),
);

/** Adds `value` to the signal; weak. @see ncclGin_WeakSignalAdd */
export const weakSignalAdd: DeviceFn<(signal: number, value: number) => RemoteAction> = deviceFn(
  { name: 'gin.weakSignalAdd' },
  (_context, signal: number, value: number) => ({ strength: 'weak', modify: 'add', at: 'id', signal, value }),
);

/**
 * Adds 1 to the u64 at byte `offset` of the peer's copy of `win`; strong. The window needs strict
 * ordering, and no other access may touch the word.
 *
 * @see ncclGin_StrongVASignalInc
 */
export const strongVASignalInc: DeviceFn<(win: Window, offset: number) => RemoteAction> = deviceFn(
  { name: 'gin.strongVASignalInc' },
  (_context, win: Window, offset: number) => ({ strength: 'strong', modify: 'inc', at: 'va', window: win, offset }),
);

/** @see ncclGin_StrongVASignalAdd */
export const strongVASignalAdd: DeviceFn<(win: Window, offset: number, value: number) => RemoteAction> = deviceFn(
  { name: 'gin.strongVASignalAdd' },
  (_context, win: Window, offset: number, value: number) => ({
    strength: 'strong',
    modify: 'add',
    at: 'va',
    window: win,
    offset,
    value,
  }),
);

/** @see ncclGin_WeakVASignalInc */
export const weakVASignalInc: DeviceFn<(win: Window, offset: number) => RemoteAction> = deviceFn(
  { name: 'gin.weakVASignalInc' },
  (_context, win: Window, offset: number) => ({ strength: 'weak', modify: 'inc', at: 'va', window: win, offset }),
);

/** @see ncclGin_WeakVASignalAdd */
export const weakVASignalAdd: DeviceFn<(win: Window, offset: number, value: number) => RemoteAction> = deviceFn(
  { name: 'gin.weakVASignalAdd' },
  (_context, win: Window, offset: number, value: number) => ({
    strength: 'weak',
    modify: 'add',
    at: 'va',
    window: win,
    offset,
    value,
  }),
);

/**
 * Strong or weak as `ginStrongSignalsRequired` selects.
 * @deprecated in NCCL 2.30.5: use a function that names the strength.
 * @see ncclGin_SignalInc
 */
export const signalInc: DeviceFn<(signal: number) => RemoteAction> = deviceFn(
  { name: 'gin.signalInc' },
  (_context, signal: number) => ({ strength: 'legacy', modify: 'inc', at: 'id', signal }),
);

/**
 * @deprecated in NCCL 2.30.5: use a function that names the strength.
 * @see ncclGin_SignalAdd
 */
export const signalAdd: DeviceFn<(signal: number, value: number) => RemoteAction> = deviceFn(
  { name: 'gin.signalAdd' },
  (_context, signal: number, value: number) => ({ strength: 'legacy', modify: 'add', at: 'id', signal, value }),
);

/**
 * @deprecated in NCCL 2.30.5: use a function that names the strength.
 * @see ncclGin_VASignalInc
 */
export const vaSignalInc: DeviceFn<(win: Window, offset: number) => RemoteAction> = deviceFn(
  { name: 'gin.vaSignalInc' },
  (_context, win: Window, offset: number) => ({ strength: 'legacy', modify: 'inc', at: 'va', window: win, offset }),
);

/**
 * @deprecated in NCCL 2.30.5: use a function that names the strength.
 * @see ncclGin_VASignalAdd
 */
export const vaSignalAdd: DeviceFn<(win: Window, offset: number, value: number) => RemoteAction> = deviceFn(
  { name: 'gin.vaSignalAdd' },
  (_context, win: Window, offset: number, value: number) => ({
    strength: 'legacy',
    modify: 'add',
    at: 'va',
    window: win,
    offset,
    value,
  }),
);

/**
 * Adds 1 to the counter once the put's source may be reused. The counter does not show that the put
 * has arrived.
 *
 * @see ncclGin_WeakCounterInc
 */
export const weakCounterInc: DeviceFn<(counter: number) => LocalAction> = deviceFn(
  { name: 'gin.weakCounterInc' },
  (_context, counter: number) => ({ counter }),
);
