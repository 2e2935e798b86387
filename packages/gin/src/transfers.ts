import { team, window } from '@nccl-ts/devcomm';
import {
  addr,
  anyValueParam,
  deviceFn,
  forms,
  i32,
  intrinsic,
  type DeviceFn,
  type OptionsParam,
} from '@nccl-ts/kernel';
import { remoteAction } from './remote-action.ts';
import type { GinMethod } from './gin-context.ts';
import { ginStruct } from './impl/gin-struct.ts';
import { send, type PostedRequest, type Target } from './impl/send.ts';
import { checkRemote } from './impl/state-words.ts';
import { putOptions, requestOptions, type PutRequest, type RequestOptions } from './options.ts';

/** The first parameters of every request. */
const to = { self: ginStruct, team, peer: i32 };

const putParams = {
  ...to,
  dst: window,
  dstOffset: addr,
  src: window,
  srcOffset: addr,
  bytes: addr,
  'remote?': remoteAction,
  'options?': putOptions,
};

const putBytes: GinMethod<'put'> = intrinsic(
  { name: 'gin.put', use: { send, checkRemote }, params: putParams },
  ({ send, checkRemote, i32, u64 }, call) => {
    checkRemote(call.self, call.remote);
    const near = { window: call.src, offset: call.srcOffset };
    const far = { window: call.dst, offset: call.dstOffset };
    const { localAction } = call.options;
    const counted = localAction !== undefined && localAction.counter !== undefined;
    const counter = counted ? i32(localAction.counter) : i32(-1);
    const { bytes, remote } = call;
    send(call, { kind: 'put', near, far, bytes, value: u64(0), remote, counter }, call.options);
  },
);

/** The parameters of the other form, by their names. */
const putRequest: OptionsParam<PutRequest> = {
  kind: 'options',
  members: {
    team,
    peer: i32,
    dst: window,
    dstOffset: addr,
    src: window,
    srcOffset: addr,
    bytes: addr,
    remote: remoteAction,
    options: putOptions,
  },
};

export const put: GinMethod<'put'> = forms({
  name: 'gin.put',
  forms: [
    {
      params: { self: ginStruct, request: putRequest },
      fn: putBytes,
      named: { dstOffset: 0, srcOffset: 0 },
    },
    { params: putParams, fn: putBytes },
  ],
});

export const putElements: GinMethod<'putElements'> = deviceFn(
  { name: 'gin.putElements', use: { put } },
  ({ put, sizeOf, addr }, self, team, peer, dst, src, count, remote, options) => {
    const bytes = addr(count) * sizeOf(dst.T);
    put(self, team, peer, dst.window, dst.offset, src.window, src.offset, bytes, remote, options);
  },
);

export const putValue: GinMethod<'putValue'> = intrinsic(
  {
    name: 'gin.putValue',
    use: { send, checkRemote },
    params: {
      ...to,
      dst: window,
      dstOffset: addr,
      value: anyValueParam,
      'remote?': remoteAction,
      'options?': requestOptions,
    },
  },
  ({ send, checkRemote, bitcast, sizeOf, typeOf, addr, i32, u8, u16, u32, u64 }, call) => {
    checkRemote(call.self, call.remote);
    const size = sizeOf(typeOf(call.value));
    const word = size === 1 ? u8 : size === 2 ? u16 : size === 4 ? u32 : u64;
    const value = u64(bitcast(word, call.value));
    const near = { window: call.dst, offset: addr(0) };
    const far = { window: call.dst, offset: call.dstOffset };
    const { remote } = call;
    send(call, { kind: 'putValue', near, far, bytes: addr(size), value, remote, counter: i32(-1) }, call.options);
  },
);

export const get: GinMethod<'get'> = intrinsic(
  {
    name: 'gin.get',
    use: { send },
    params: {
      ...to,
      remote: window,
      remoteOffset: addr,
      local: window,
      localOffset: addr,
      bytes: addr,
      'options?': requestOptions,
    },
  },
  ({ send, i32, u64 }, call) => {
    const near = { window: call.local, offset: call.localOffset };
    const far = { window: call.remote, offset: call.remoteOffset };
    const none = {
      at: undefined,
      modify: undefined,
      strength: undefined,
      signal: undefined,
      window: undefined,
      offset: undefined,
      value: undefined,
    };
    const { bytes } = call;
    send(call, { kind: 'get', near, far, bytes, value: u64(0), remote: none, counter: i32(-1) }, call.options);
  },
);

const signalParams = { ...to, remote: remoteAction, 'options?': requestOptions } as const;

const sendSignal: DeviceFn<(to: Target, remote: PostedRequest['remote'], options: RequestOptions) => void> = deviceFn(
  { name: 'sendSignal', use: { send } },
  ({ send, addr, i32, u64 }, target, remote, options) => {
    const none = { window: target.self.comm.resourceWindow, offset: addr(0) };
    send(
      target,
      { kind: 'signal', near: none, far: none, bytes: addr(0), value: u64(0), remote, counter: i32(-1) },
      options,
    );
  },
);

export const signal: GinMethod<'signal'> = intrinsic(
  { name: 'gin.signal', use: { sendSignal, checkRemote }, params: signalParams },
  ({ sendSignal, checkRemote }, call) => {
    checkRemote(call.self, call.remote);
    sendSignal(call, call.remote, call.options);
  },
);

/** The same for any signal, also those of barriers. */
export const barrierSignal: GinMethod<'signal'> = intrinsic(
  { name: 'gin.signal', use: { sendSignal }, params: signalParams },
  ({ sendSignal }, call) => {
    sendSignal(call, call.remote, call.options);
  },
);
