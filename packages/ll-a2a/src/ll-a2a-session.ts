import { devComm, llA2AHandle, multimemHandle, resourceLocalPointer, team } from '@nccl-ts/devcomm';
import {
  anyPointerParam,
  constantParam,
  coopParam,
  deviceSession,
  flagParam,
  i32,
  sessionState,
  typeParam,
  u32,
  type AnyValueParam,
  type DeviceFn,
  type FunctionParam,
  type OptionsParam,
  type Ptr,
} from '@nccl-ts/kernel';
import type { LLA2AState } from './impl/ll-a2a-state.ts';
import { nextEpoch } from './impl/next-epoch.ts';
import { receive, receiveOne } from './impl/receive.ts';
import { firstLine, storeTo, storeToAll } from './impl/slots.ts';
import type { LLA2A, LLA2AOptions } from './ll-a2a-module.ts';

const options: OptionsParam<LLA2AOptions> = {
  kind: 'options',
  members: { multimem: flagParam, mmHandle: multimemHandle },
};

/** The argument of `send`: a value, or a pointer to `width` elements. */
const data: AnyValueParam<number & Ptr> = { kind: 'anyValue' };
const batch = { eltStart: i32, eltCount: i32, eltStride: i32 };
const eltToAcc: FunctionParam<(elt: number) => number> = { kind: 'function' };
const reduce: FunctionParam<(a: number, b: number) => number> = { kind: 'function' };

/** @see {@link LLA2A.session} */
export const session: DeviceFn<LLA2A['session']> = deviceSession({
  name: 'llA2A.session',
  use: { resourceLocalPointer, firstLine, storeTo, storeToAll, receive, receiveOne, nextEpoch },
  state: sessionState<LLA2AState>({
    comm: 'fixed',
    team: 'fixed',
    handle: 'fixed',
    block: 'fixed',
    pitch: 'fixed',
    coop: 'fixed',
    multimem: 'fixed',
    mmHandle: 'fixed',
    epoch: u32,
  }),
  params: {
    coop: coopParam,
    comm: devComm,
    team,
    handle: llA2AHandle,
    block: u32,
    maxElts: i32,
    'options?': options,
  },
  ctor: ({ resourceLocalPointer, firstLine, requires, addr, u32 }, self, call) => {
    const { comm, handle, block, options } = call;
    requires(
      block < handle.nBlocks,
      'block {} of a low-latency all-to-all, but its handle has {}: llA2ACreateRequirement({}, nSlots)',
      block,
      handle.nBlocks,
      addr(block) + 1,
    );
    self.coop = call.coop;
    self.comm = comm;
    self.team = call.team;
    self.handle = handle;
    self.block = block;
    self.pitch = call.maxElts;
    self.multimem = options.multimem === undefined ? false : options.multimem;
    self.mmHandle = options.mmHandle === undefined ? comm.lsaMultimem : options.mmHandle;
    // A new line contains 0, and so do new slots, so the first epoch must be another number.
    self.epoch = resourceLocalPointer(comm, u32, handle.bufHandle).load(4 * firstLine(self)) + 2;
  },
  methods: {
    send: {
      params: { peer: i32, elt: i32, data, 'width?': constantParam },
      body: ({ storeTo, typeOf }, self, { peer, elt, data, width }) => {
        const elementAt = (i: number): number => (width === undefined ? data : data.load(i));
        storeTo(self, peer, elt, { T: typeOf(data), width: width === undefined ? 1 : width, elementAt });
      },
    },
    bcast: {
      params: { elt: i32, data, 'width?': constantParam },
      body: ({ storeTo, storeToAll, typeOf, i32 }, self, { elt, data, width }) => {
        const elementAt = (i: number): number => (width === undefined ? data : data.load(i));
        const value = { T: typeOf(data), width: width === undefined ? 1 : width, elementAt };
        if (self.multimem) storeToAll(self, elt, value);
        else {
          // Starts at the own rank, so that ranks do not all begin with the same peer.
          for (let i = i32(0); i < self.team.nRanks; i++) {
            const peer = (self.team.rank + i) % self.team.nRanks;
            storeTo(self, peer, elt, value);
          }
        }
      },
    },
    recv: {
      params: { type: typeParam, elt: i32 },
      body: ({ receiveOne }, self, { type, elt }) => receiveOne(self, type, elt),
    },
    recvUnrolled: {
      params: {
        minEltCount: constantParam,
        maxEltCount: constantParam,
        ...batch,
        elts: anyPointerParam,
        'width?': constantParam,
      },
      body: ({ receive, typeOf }, self, call) => {
        const { minEltCount: min, maxEltCount: max, eltStart: start, eltCount: count, eltStride: stride, elts } = call;
        const each = call.width === undefined ? 1 : call.width;
        receive(self, { min, max, start, count, stride }, typeOf(elts), each, (u, k, element) => {
          elts.store(u * each + k, element);
        });
      },
    },
    recvReduce: {
      // Receives any number of values, in batches of a constant size.
      composed: true,
      params: { unroll: constantParam, type: typeParam, ...batch, eltToAcc, reduce },
      body: ({ localArray, unroll, i32 }, self, call) => {
        const { unroll: each, eltStart: start, eltCount: count, eltStride: stride, eltToAcc, reduce } = call;
        const got = localArray(call.type, each);
        self.recvUnrolled(0, each, start, count, stride, got);
        let acc = eltToAcc(got.load(0));
        for (const j of unroll(each)) if (j > 0 && j < count) acc = reduce(acc, eltToAcc(got.load(j)));
        let i = i32(each);
        for (; i + each <= count; i += each) {
          self.recvUnrolled(each, each, start + i * stride, each, stride, got);
          for (const j of unroll(each)) acc = reduce(acc, eltToAcc(got.load(j)));
        }
        if (i < count) {
          self.recvUnrolled(1, each, start + i * stride, count - i, stride, got);
          for (const j of unroll(each)) if (i + j < count) acc = reduce(acc, eltToAcc(got.load(j)));
        }
        return acc;
      },
    },
    endEpoch: {
      params: { coop: coopParam },
      body: ({ nextEpoch }, self) => {
        nextEpoch(self);
      },
    },
  },
  dtor: ({ resourceLocalPointer, firstLine, u32 }, self) => {
    if (self.coop.threadRank() === 0) {
      const words = resourceLocalPointer(self.comm, u32, self.handle.bufHandle);
      words.store(4 * firstLine(self), self.epoch - 2);
    }
    self.coop.sync();
  },
});
