import type { MemoryOrder } from '@nccl-ts/core';
import { devComm, findWindow, team } from '@nccl-ts/devcomm';
import { gin, ginRequest } from '@nccl-ts/gin';
import { addr, i32, kernel, ptr, u32, u64, u8, type Coop, type DeviceFn, type Kernel } from '@nccl-ts/kernel';
import { callResult, callResultAddress } from '@nccl-ts/ptx';
import { deviceCall, asNcclSays, type ModelledCall, type ModelledCalls } from './device-call.ts';
import { groupOf } from './group-of.ts';
import { orderOf } from './words.ts';

interface WaitWords {
  readonly ORDER: MemoryOrder;
  readonly group: DeviceFn<() => Coop>;
}

function waiting(names: string, make: (words: WaitWords) => Kernel): ModelledCall {
  return deviceCall(names, asNcclSays, (known) => {
    const order = orderOf(known['order'] ?? 2);
    return order === undefined ? undefined : make({ ORDER: order, group: groupOf(known['coop'] ?? 1) });
  });
}

const context = { comm: devComm, context: u32 };
const word = { window: ptr(u8), offset: addr };
const use = { gin, findWindow };

/** Flushes, and reads of signals and counters. */
export const ginWaits: ModelledCalls = new Map([
  [
    '__nccl_ts_gin_flush',
    waiting('context coop! order!', (words) =>
      kernel(
        { name: 'ncclGin::flush', use: { gin, ...words }, params: context },
        ({ gin, group, ORDER }, { comm, context }) => {
          gin.context(comm, context).flush(group(), ORDER);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_flush_async',
    waiting('context teamRanks teamRank teamStride peer coop!', (words) =>
      kernel(
        {
          name: 'ncclGin::flushAsync',
          use: { callResult, gin, Team: team, ...words },
          params: { ...context, teamRanks: i32, teamRank: i32, teamStride: i32, peer: i32 },
        },
        ({ callResult, gin, Team, group }, { comm, context, teamRanks, teamRank, teamStride, peer }) => {
          const coop = group();
          coop.sync();
          const request = gin
            .context(comm, context)
            .flushAsync(Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }), peer);
          coop.sync();
          callResult(request.second);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait',
    waiting('context peer request coop! order!', (words) =>
      kernel(
        {
          name: 'ncclGin::wait',
          use: { gin, Request: ginRequest, ...words },
          params: { ...context, peer: u64, request: u64 },
        },
        ({ gin, Request, group, ORDER }, { comm, context, peer, request }) => {
          const coop = group();
          coop.sync();
          gin.context(comm, context).wait(Request({ first: peer, second: request }), ORDER);
          coop.sync();
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_read_signal',
    waiting('context signal bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::readSignal',
          use: { callResult, gin, ...words },
          params: { ...context, signal: u32, bits: u32 },
        },
        ({ callResult, gin, ORDER }, { comm, context, signal, bits }) => {
          callResult(gin.context(comm, context).readSignal(signal, { bits, order: ORDER }));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_signal',
    waiting('context coop! signal least bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitSignal',
          use: { gin, ...words },
          params: { ...context, signal: u32, least: u64, bits: u32 },
        },
        ({ gin, group, ORDER }, { comm, context, signal, least, bits }) => {
          gin.context(comm, context).waitSignal(group(), signal, least, { bits, order: ORDER });
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_reset_signal',
    waiting('context signal', () =>
      kernel(
        { name: 'ncclGin::resetSignal', use: { gin }, params: { ...context, signal: u32 } },
        ({ gin }, { comm, context, signal }) => {
          gin.context(comm, context).resetSignal(signal);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_read_va_signal',
    waiting('context window offset bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::readSignal',
          use: { callResult, ...use, ...words },
          params: { ...context, ...word, bits: u32 },
        },
        ({ callResult, gin, findWindow, coopThread, ORDER }, { comm, context, window, offset, bits }) => {
          const own = findWindow(coopThread(), comm, window);
          callResult(gin.context(comm, context).readVASignal(own, offset, { bits, order: ORDER }));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_va_signal',
    waiting('context coop! window offset least bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitSignal',
          use: { ...use, ...words },
          params: { ...context, ...word, least: u64, bits: u32 },
        },
        ({ gin, findWindow, coopThread, group, ORDER }, { comm, context, window, offset, least, bits }) => {
          const own = findWindow(coopThread(), comm, window);
          gin.context(comm, context).waitVASignal(group(), own, offset, least, { bits, order: ORDER });
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_reset_va_signal',
    waiting('context window offset', () =>
      kernel(
        { name: 'ncclGin::resetSignal', use, params: { ...context, ...word } },
        ({ gin, findWindow, coopThread }, { comm, context, window, offset }) => {
          gin.context(comm, context).resetVASignal(findWindow(coopThread(), comm, window), offset);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_read_counter',
    waiting('context counter bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::readCounter',
          use: { callResult, gin, ...words },
          params: { ...context, counter: u32, bits: u32 },
        },
        ({ callResult, gin, ORDER }, { comm, context, counter, bits }) => {
          callResult(gin.context(comm, context).readCounter(counter, { bits, order: ORDER }));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_counter',
    waiting('context coop! counter least bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitCounter',
          use: { gin, ...words },
          params: { ...context, counter: u32, least: u64, bits: u32 },
        },
        ({ gin, group, ORDER }, { comm, context, counter, least, bits }) => {
          gin.context(comm, context).waitCounter(group(), counter, least, { bits, order: ORDER });
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_reset_counter',
    waiting('context counter', () =>
      kernel(
        { name: 'ncclGin::resetCounter', use: { gin }, params: { ...context, counter: u32 } },
        ({ gin }, { comm, context, counter }) => {
          gin.context(comm, context).resetCounter(counter);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_shadow',
    waiting('context signal', () =>
      kernel(
        { name: 'ncclGin::getSignalShadowPtr', use: { callResultAddress, gin }, params: { ...context, signal: u32 } },
        ({ callResultAddress, gin }, { comm, context, signal }) => {
          callResultAddress(gin.context(comm, context).signalShadowPtr(signal));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_increase_shadow',
    waiting('context signal delta', () =>
      kernel(
        { name: 'ncclGin::increaseSignalShadow', use: { gin }, params: { ...context, signal: u32, delta: u64 } },
        ({ gin }, { comm, context, signal, delta }) => {
          gin.context(comm, context).increaseSignalShadow(signal, delta);
        },
      ),
    ),
  ],
  [
    '__nccl_ts_gin_wait_meet_shadow',
    waiting('context coop! signal bits order!', (words) =>
      kernel(
        {
          name: 'ncclGin::waitSignalMeetShadow',
          use: { gin, ...words },
          params: { ...context, signal: u32, bits: u32 },
        },
        ({ gin, group, ORDER }, { comm, context, signal, bits }) => {
          gin.context(comm, context).waitSignalMeetShadow(group(), signal, { bits, order: ORDER });
        },
      ),
    ),
  ],
]);
