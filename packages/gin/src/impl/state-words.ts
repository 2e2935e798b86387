import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, windowPointer, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { Absentable, RemoteAction } from '../remote-action.ts';
import type { GinParts } from './gin-struct.ts';

/** The number of words of each context in the GIN state. @see ginState */
const contextWords: DeviceFn<(comm: DevComm) => number> = deviceFn(
  { name: 'contextWords' },
  ({ addr }, comm) => addr(comm.ginSignalCount) + addr(comm.ginCounterCount) + 2 * addr(comm.nRanks),
);

/** Returns the word at index `at` of the context's state. */
const stateWord: DeviceFn<(self: GinParts, at: number) => Ptr> = deviceFn(
  { name: 'stateWord', use: { windowPointer, contextWords } },
  ({ windowPointer, contextWords, addr, u64 }, self, at) =>
    windowPointer(
      self.comm.ginStateWindow,
      u64,
      (addr(self.index) * contextWords(self.comm) + at) * 8,
      self.comm.lsaRank,
    ),
);

/** Checks the preconditions of every call on a context. */
export const checkContext: DeviceFn<(self: GinParts) => void> = deviceFn(
  { name: 'checkContext' },
  ({ requires }, self) => {
    requires(
      self.index < self.comm.ginContextCount,
      'GIN context {}, but the device communicator has {}: ask for more by createDevComm({ ginContextCount })',
      self.index,
      self.comm.ginContextCount,
    );
  },
);

/**
 * Checks the preconditions of a function that takes a signal. A signal is the kernel's own, or one
 * of a node of `resourceRequirementsList`. The barriers own those in between.
 */
export const checkSignal: DeviceFn<(self: GinParts, signal: number) => void> = deviceFn(
  { name: 'checkSignal', use: { checkContext } },
  ({ checkContext, requires, addr, u32 }, self, signal) => {
    checkContext(self);
    const own = self.comm.worldGinBarrier.signal0;
    requires(
      signal < own || (signal >= self.comm.ginListSignalStart && signal < u32(self.comm.ginSignalCount)),
      'GIN signal {}, but the device communicator has {}: createDevComm({ ginSignalCount: {} })',
      signal,
      own,
      addr(signal) + 1,
    );
  },
);

/** Checks the signal that a request of the kernel changes, if it names one by its index. */
export const checkRemote: DeviceFn<(self: GinParts, remote: Absentable<RemoteAction>) => void> = deviceFn(
  { name: 'checkRemote', use: { checkSignal } },
  ({ checkSignal }, self, remote) => {
    if (remote.at === 'id' && remote.signal !== undefined) checkSignal(self, remote.signal);
  },
);

/** Checks the preconditions of a function that takes a counter. */
export const checkCounter: DeviceFn<(self: GinParts, counter: number) => void> = deviceFn(
  { name: 'checkCounter', use: { checkContext } },
  ({ checkContext, requires, addr, u32 }, self, counter) => {
    checkContext(self);
    requires(
      counter < u32(self.comm.ginCounterCount),
      'GIN counter {}, but the device communicator has {}: createDevComm({ ginCounterCount: {} })',
      counter,
      self.comm.ginCounterCount,
      addr(counter) + 1,
    );
  },
);

/** Returns the word of a signal on the calling rank. */
export const signalWord: DeviceFn<(self: GinParts, signal: number) => Ptr> = deviceFn(
  { name: 'signalWord', use: { stateWord } },
  ({ stateWord, addr }, self, signal) => stateWord(self, addr(signal)),
);

export const counterWord: DeviceFn<(self: GinParts, counter: number) => Ptr> = deviceFn(
  { name: 'counterWord', use: { stateWord } },
  ({ stateWord, addr }, self, counter) => stateWord(self, addr(self.comm.ginSignalCount) + addr(counter)),
);

/**
 * Returns the word that counts the requests for world rank `peer` that the context has accepted.
 */
export const issuedWord: DeviceFn<(self: GinParts, peer: number) => Ptr> = deviceFn(
  { name: 'issuedWord', use: { stateWord } },
  ({ stateWord, addr }, self, peer) =>
    stateWord(self, addr(self.comm.ginSignalCount) + addr(self.comm.ginCounterCount) + addr(peer)),
);

/** Returns the word that counts those of them, from the first, that are locally complete. */
export const completedWord: DeviceFn<(self: GinParts, peer: number) => Ptr> = deviceFn(
  { name: 'completedWord', use: { stateWord } },
  ({ stateWord, addr }, self, peer) =>
    stateWord(
      self,
      addr(self.comm.ginSignalCount) + addr(self.comm.ginCounterCount) + addr(self.comm.nRanks) + addr(peer),
    ),
);

/** Returns the shadow of a signal, in the resource window. */
export const shadowWord: DeviceFn<(self: GinParts, signal: number) => Ptr> = deviceFn(
  { name: 'shadowWord', use: { windowPointer } },
  ({ windowPointer, addr, u64 }, self, signal) => {
    const place = addr(self.index) * addr(self.comm.ginSignalCount) + addr(signal);
    return windowPointer(
      self.comm.resourceWindow,
      u64,
      self.comm.ginSignalShadowsOffset + place * 8,
      self.comm.lsaRank,
    );
  },
);
