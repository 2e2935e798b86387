import {
  coopParam,
  deviceSession,
  orderParam,
  proxyParam,
  ptr,
  sessionState,
  u32,
  u64,
  wordParam,
  type DeviceFn,
} from '@nccl-ts/kernel';
import type { CftState } from './impl/cft-state.ts';
import { arrive, begin, end, settleReads, shared, submit } from './impl/primitives.ts';
import { pullRed, red, redCounted } from './impl/reduction.ts';
import { get, put, putCounted, putCpMask } from './impl/transfer.ts';
import { waitFor } from './impl/wait-counted.ts';
import { cftOps } from './reductions.ts';
import type { Cft } from './cft-module.ts';

const operations = { put, putCounted, putCpMask, get, red, redCounted, pullRed };

const there = { coop: coopParam, leId: u32, leOffset: u64 };
const from = { source: shared, bytes: u32 };
const into = { destination: shared, bytes: u32 };
const op = wordParam(cftOps);

const plain = { ...there, ...from };
const counted = { ...there, counterOffset: u64, ...from };
const masked = { ...plain, cpMask: u32 };
const fetched = { ...there, ...into };
const reduced = { ...there, op, ...from };
const reducedCounted = { ...there, counterOffset: u64, op, ...from };
const pulled = { ...there, op, ...into };

/** @see {@link Cft.session} */
export const session: DeviceFn<Cft['session']> = deviceSession({
  name: 'cft.session',
  use: { ...operations, begin, end, submit, arrive, settleReads, waitFor },
  state: sessionState<CftState>({ smem: 'fixed', coop: 'fixed', phase: u64 }),
  params: { coop: coopParam, smem: shared },
  ctor: ({ begin, requires, u64 }, self, { coop, smem }) => {
    self.coop = coop;
    self.smem = smem.cast(u64);
    requires(smem.misalignment(16) === 0, 'the state of a session of the fabric must begin at a multiple of 16 bytes');
    if (coop.threadRank() === 0) {
      begin(self.smem);
      self.smem.store(0, u64(0));
      self.smem.store(1, u64(0));
    }
    coop.sync();
    self.phase = u64(0);
  },
  methods: {
    put: { params: plain, body: ({ put }, self, call) => put(self.smem, 'unicast', call) },
    putCounted: { params: counted, body: ({ putCounted }, self, call) => putCounted(self.smem, 'unicast', call) },
    putCpMask: { params: masked, body: ({ putCpMask }, self, call) => putCpMask(self.smem, 'unicast', call) },
    putMultimem: { params: plain, body: ({ put }, self, call) => put(self.smem, 'multicast', call) },
    putMultimemCounted: {
      params: counted,
      body: ({ putCounted }, self, call) => putCounted(self.smem, 'multicast', call),
    },
    putMultimemCpMask: { params: masked, body: ({ putCpMask }, self, call) => putCpMask(self.smem, 'multicast', call) },
    get: { params: fetched, body: ({ get }, self, call) => get(self.smem, call) },
    red: { params: reduced, body: ({ red }, self, call) => red(self.smem, 'unicast', call) },
    redCounted: {
      params: reducedCounted,
      body: ({ redCounted }, self, call) => redCounted(self.smem, 'unicast', call),
    },
    redMultimem: { params: reduced, body: ({ red }, self, call) => red(self.smem, 'multicast', call) },
    redMultimemCounted: {
      params: reducedCounted,
      body: ({ redCounted }, self, call) => redCounted(self.smem, 'multicast', call),
    },
    pullRed: { params: pulled, body: ({ pullRed }, self, call) => pullRed(self.smem, call) },
    submit: {
      params: { coop: coopParam },
      body: ({ submit }, self, { coop }) => {
        if (coop.threadRank() === 0) submit(self.smem);
      },
    },
    flushSmem: {
      params: { coop: coopParam },
      body: ({ settleReads, waitUntil, u64 }, self, { coop }) => {
        if (coop.threadRank() === 0) {
          waitUntil(() => self.smem.load(1, 'relaxed', 'block') === u64(0));
          settleReads(self.smem);
        }
        coop.sync();
      },
    },
    flush: {
      params: { coop: coopParam },
      body: ({ arrive, waitUntil, u64 }, self, { coop }) => {
        if (coop.threadRank() === 0) arrive(self.smem);
        waitUntil(() => self.smem.load(0, 'acquire', 'block') > self.phase);
        self.phase = self.phase + u64(1);
      },
    },
    waitCounted: {
      params: {
        coop: coopParam,
        order: orderParam,
        consumer: proxyParam,
        counter: ptr(u64),
        expected: u64,
        'timeoutCycles?': u64,
      },
      body: ({ waitFor }, _self, call) => waitFor(call),
    },
  },
  dtor: ({ end }, self) => {
    self.coop.sync();
    if (self.coop.threadRank() === 0) end(self.smem);
  },
});
