import { wrappedText } from '@nccl-ts/ir';

/** The texts for misused network requests, with suggestions. Both engines use them. */
export const networkMisuse = {
  signalPastCount: (signal: number, count: number): string =>
    `GIN signal ${wrappedText(signal)} is changed, but the device communicator has only ${count}: ` +
    `createDevComm({ ginSignalCount: ${signal + 1} })`,
  counterPastCount: (counter: number, count: number): string =>
    `GIN counter ${wrappedText(counter)} is used, but the device communicator has only ${count}: ` +
    `createDevComm({ ginCounterCount: ${counter + 1} })`,
  strongSignal: (): string =>
    'a strong signal, but the device communicator was made with ginStrongSignalsRequired: false; make it with true, or send a weak signal',
  vaSignal: (): string =>
    'a VA signal, but the device communicator was made with ginVaSignalsRequired: false; make it with true, or signal by index',
  looseWindow: (): string =>
    'a VA signal in a window that was registered without strict ordering: add WindowFlags.StrictOrdering to its flags',
  notListed: (peer: number, world: number, rank: number): string =>
    `peer ${wrappedText(peer)} of a GIN request is world rank ${wrappedText(world)}, but it and rank ${rank} do not list each other: ` +
    "add each to the other's ginCustomArray, or createDevComm({ ginConnectionType: 'full' })",
  reset: (): string =>
    'a signal or counter is reset while an operation that changes it is pending: wait for the operation, by waitSignal, waitCounter or flush, before the reset',
  otherModify: (before: string, now: string): string =>
    `a signal that '${before}' changed is now changed by '${now}', without a reset in between: use one kind of change, or reset it first`,
  touched: (left: bigint, found: bigint): string =>
    `the word of a VA signal is ${found}, and GIN has left ${left} there: something else has stored to it; change it by signals and resets alone`,
  twoCtas: (own: string, other: string): string =>
    `a GIN context with sharing 'cta' is used by CTA ${own} and CTA ${other}: give each its own context, or create it with sharing 'gpu'`,
  twoThreads: (own: number, other: number): string =>
    `a GIN context with sharing 'thread' is used by thread ${own} and thread ${other}: give each its own context, or create it with sharing 'cta'`,
  noWindow: (name: string): string =>
    `${name} was given a pointer outside every window of the calling rank, or 0 in place of a window: pass a window, or a pointer into the rank's own copy of one, such as the result of localPointer`,
} as const;
