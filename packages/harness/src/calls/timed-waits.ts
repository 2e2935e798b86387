import type { MemoryOrder } from '@nccl-ts/core';
import { barrier } from '@nccl-ts/barrier';
import { devComm, findWindow, ginBarrierHandle, lsaBarrierHandle, team } from '@nccl-ts/devcomm';
import { gin, ginRequest } from '@nccl-ts/gin';
import { addr, i32, kernel, ptr, u32, u64, u8, type Coop, type DeviceFn, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { callResult } from '@nccl-ts/ptx';
import {
  asNcclSays,
  deviceCall,
  numberOf,
  type ConstantArguments,
  type ModelledCall,
  type ModelledCalls,
} from './device-call.ts';
import { groupOf } from './group-of.ts';
import { fenceOf, orderOf } from './words.ts';

interface WaitWords {
  readonly ORDER: MemoryOrder;
  readonly group: DeviceFn<() => Coop>;
}

/** A wait that returns `ncclSuccess` or `ncclTimeout`. Its last parameter is the time limit. */
function timed(names: string, make: (words: WaitWords, known: ConstantArguments) => Kernel | undefined): ModelledCall {
  return deviceCall(`${names} timeout`, asNcclSays, (known) => {
    const order = orderOf(numberOf(known, 'order'));
    return order === undefined ? undefined : make({ ORDER: order, group: groupOf(numberOf(known, 'coop')) }, known);
  });
}

const context = { comm: devComm, context: u32, timeout: u64 };
const members = { teamRanks: i32, teamRank: i32, teamStride: i32 };

/** Waits with a time limit. */
export const timedWaits: ModelledCalls = new Map([
  [
    '__nccl_ts_gin_flush_timed',
    timed('context coop! order!', (words) =>
      kernel(
        { name: 'ncclGin::flush', use: { callResult, gin, ...words }, params: context },
        ({ callResult, gin, group, ORDER }, { comm, context, timeout }) => {
          callResult(gin.context(comm, context).flush(group(), ORDER, timeout));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_timed',
    timed('context peer request coop! order!', (words) =>
      kernel(
        {
          name: 'ncclGin::wait',
          use: { callResult, gin, Request: ginRequest, ...words },
          params: { ...context, peer: u64, request: u64 },
        },
        ({ callResult, gin, Request, group, ORDER }, { comm, context, peer, request, timeout }) => {
          const coop = group();
          coop.sync();
          const result = gin.context(comm, context).wait(Request({ first: peer, second: request }), ORDER, timeout);
          coop.sync();
          callResult(result);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_signal_timed',
    timed('context coop! signal least bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitSignal',
          use: { callResult, gin, ...words },
          params: { ...context, signal: u32, least: u64, bits: u32 },
        },
        ({ callResult, gin, group, ORDER }, { comm, context, signal, least, bits, timeout }) => {
          const options = { bits, order: ORDER, timeoutCycles: timeout };
          callResult(gin.context(comm, context).waitSignal(group(), signal, least, options));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_va_signal_timed',
    timed('context coop! window offset least bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitSignal',
          use: { callResult, gin, findWindow, ...words },
          params: { ...context, window: ptr(u8), offset: addr, least: u64, bits: u32 },
        },
        ({ callResult, gin, findWindow, coopThread, group, ORDER }, call) => {
          const { comm, context, window, offset, least, bits, timeout } = call;
          const own = findWindow(coopThread(), comm, window);
          const options = { bits, order: ORDER, timeoutCycles: timeout };
          callResult(gin.context(comm, context).waitVASignal(group(), own, offset, least, options));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_counter_timed',
    timed('context coop! counter least bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitCounter',
          use: { callResult, gin, ...words },
          params: { ...context, counter: u32, least: u64, bits: u32 },
        },
        ({ callResult, gin, group, ORDER }, { comm, context, counter, least, bits, timeout }) => {
          const options = { bits, order: ORDER, timeoutCycles: timeout };
          callResult(gin.context(comm, context).waitCounter(group(), counter, least, options));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_barrier_timed',
    timed(
      'context coop! all! team! teamRanks teamRank teamStride signal0 index order! fence!',
      ({ ORDER, group }, known) => {
        const fence = fenceOf(numberOf(known, 'fence'));
        if (fence === undefined) return undefined;
        const words = { ORDER, group, FENCE: fence, ALL: known['all'] === 1 };
        const TAG: 'rail' | 'world' = known['team'] === 1 ? 'rail' : 'world';
        if (known['team'] !== 2) {
          return kernel(
            {
              name: 'ncclGinBarrierSession::sync',
              use: { callResult, gin, TAG, ...words },
              params: { ...context, index: u32 },
            },
            ({ callResult, gin, group, TAG, ALL, ORDER, FENCE }, { comm, context, index, timeout }) => {
              const coop = group();
              const session = gin.barrierSession(coop, gin.context(comm, context), TAG, index, { allContexts: ALL });
              callResult(session.sync(coop, ORDER, FENCE, timeout));
            },
          );
        }
        return kernel(
          {
            name: 'ncclGinBarrierSession::sync',
            use: { callResult, gin, Team: team, Handle: ginBarrierHandle, ...words },
            params: { ...context, ...members, signal0: u32, index: u32 },
          },
          ({ callResult, gin, Team, Handle, group, ALL, ORDER, FENCE }, call) => {
            const { comm, context, teamRanks, teamRank, teamStride, signal0, index, timeout } = call;
            const coop = group();
            const session = gin.barrierSession(coop, gin.context(comm, context), 'world', index, {
              team: Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
              handle: Handle({ signal0 }),
              allContexts: ALL,
            });
            callResult(session.sync(coop, ORDER, FENCE, timeout));
          },
        );
      },
    ),
  ],
  [
    '__nccl_ts_lsa_barrier_timed',
    timed(
      'coop! step! own! teamRanks teamRank teamStride bufHandle nBarriers index multimem! order!',
      (orders, known) => {
        const words = { ...orders, SYNC: known['step'] === 3, MULTIMEM: known['multimem'] === 1 };
        if (known['own'] !== 1) {
          return kernel(
            {
              name: 'ncclLsaBarrierSession',
              use: { callResult, lsa, ...words },
              params: { comm: devComm, index: u32, timeout: u64 },
            },
            ({ callResult, lsa, group, SYNC, MULTIMEM, ORDER }, { comm, index, timeout }) => {
              const coop = group();
              const session = lsa.barrierSession(coop, comm, index, { multimem: MULTIMEM });
              if (SYNC) callResult(session.sync(coop, ORDER, timeout));
              else callResult(session.wait(coop, ORDER, timeout));
            },
          );
        }
        return kernel(
          {
            name: 'ncclLsaBarrierSession',
            use: { callResult, lsa, Team: team, Handle: lsaBarrierHandle, ...words },
            params: { comm: devComm, ...members, bufHandle: u32, nBarriers: i32, index: u32, timeout: u64 },
          },
          ({ callResult, lsa, Team, Handle, group, SYNC, MULTIMEM, ORDER }, call) => {
            const { comm, teamRanks, teamRank, teamStride, bufHandle, nBarriers, index, timeout } = call;
            const coop = group();
            const session = lsa.barrierSession(coop, comm, index, {
              team: Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
              handle: Handle({ bufHandle, nBarriers }),
              multimem: MULTIMEM,
            });
            if (SYNC) callResult(session.sync(coop, ORDER, timeout));
            else callResult(session.wait(coop, ORDER, timeout));
          },
        );
      },
    ),
  ],
  [
    '__nccl_ts_barrier_timed',
    timed('context coop! team! index multimem! order! fence!', (orders, known) => {
      const fence = fenceOf(numberOf(known, 'fence'));
      const tag = (['world', 'rail', 'lsa'] as const)[numberOf(known, 'team')];
      if (fence === undefined || tag === undefined) return undefined;
      const words = { ...orders, FENCE: fence, TAG: tag, MULTIMEM: known['multimem'] === 1 };
      return kernel(
        {
          name: 'ncclBarrierSession::sync',
          use: { callResult, barrier, gin, ...words },
          params: { ...context, index: u32 },
        },
        ({ callResult, barrier, gin, group, TAG, MULTIMEM, ORDER, FENCE }, { comm, context, index, timeout }) => {
          const coop = group();
          const session = barrier.session(coop, gin.context(comm, context), TAG, index, { multimem: MULTIMEM });
          callResult(session.sync(coop, ORDER, FENCE, timeout));
        },
      );
    }),
  ],
]);
