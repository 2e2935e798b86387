import { window, type Window } from '@nccl-ts/devcomm';
import { addr, u32, u64, wordParam, type OptionsParam } from '@nccl-ts/kernel';

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

export const remoteAction: OptionsParam<RemoteAction> = {
  kind: 'options',
  members: {
    strength: wordParam(['strong', 'weak', 'legacy']),
    modify: wordParam(['inc', 'add']),
    at: wordParam(['id', 'va']),
    signal: u32,
    window,
    offset: addr,
    value: u64,
  },
};

export const localAction: OptionsParam<LocalAction> = { kind: 'options', members: { counter: u32 } };
