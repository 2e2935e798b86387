import { team, window, type SymPtr, type Window } from '@nccl-ts/devcomm';
import { addr, deviceFn, i32, intrinsic, type DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import { remoteAction, type Absentable, type RemoteAction } from './actions.ts';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { send } from './impl/send.ts';
import { putOptions, requestOptions, type PutOptions, type RequestOptions } from './options.ts';

/**
 * `net.put(team, peer, dst, dstOffset, src, srcOffset, bytes, remoteAction?, { localAction?, coop?,
 * ... })`.
 *
 * @see ncclGin::put
 */
export const put: DeviceFn<
  (
    self: GinParts,
    team: Team,
    peer: number,
    dst: Window,
    dstOffset: number,
    src: Window,
    srcOffset: number,
    bytes: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ) => void
> = intrinsic(
  {
    name: 'gin.put',
    use: { send },
    params: {
      self: ginStruct,
      team,
      peer: i32,
      dst: window,
      dstOffset: addr,
      src: window,
      srcOffset: addr,
      bytes: addr,
      'remote?': remoteAction,
      'options?': putOptions,
    },
  },
  (
    { send, i32, u64 },
    self: GinParts,
    team: Team,
    peer: number,
    dst: Window,
    dstOffset: number,
    src: Window,
    srcOffset: number,
    bytes: number,
    remote: Absentable<RemoteAction>,
    options: PutOptions,
  ) => {
    const payload = { near: src, nearOffset: srcOffset, far: dst, farOffset: dstOffset, bytes, value: u64(0) };
    const { localAction } = options;
    const counted = localAction !== undefined && localAction.counter !== undefined;
    send(self, team, peer, 'put', payload, remote, counted ? i32(localAction.counter) : i32(-1), options);
  },
);

/**
 * `net.putElements(team, peer, dst, src, count, remoteAction?, options?)`: puts elements between
 * symmetric pointers of one type.
 *
 * @see ncclGin::put
 */
export const putElements: DeviceFn<
  (
    self: GinParts,
    team: Team,
    peer: number,
    dst: SymPtr,
    src: SymPtr,
    count: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ) => void
> = deviceFn(
  { name: 'gin.putElements', use: { put } },
  (
    { put, sizeOf, addr },
    self: GinParts,
    team: Team,
    peer: number,
    dst: SymPtr,
    src: SymPtr,
    count: number,
    remote?: RemoteAction,
    options?: PutOptions,
  ) => {
    const bytes = addr(count) * sizeOf(dst.T);
    put(self, team, peer, dst.window, dst.offset, src.window, src.offset, bytes, remote, options);
  },
);

/**
 * `net.putValue(team, peer, dst, dstOffset, value, remoteAction?, options?)`: puts the bytes of a
 * value of up to 8 bytes.
 *
 * @see ncclGin::putValue
 */
export const putValue: DeviceFn<
  (
    self: GinParts,
    team: Team,
    peer: number,
    dst: Window,
    dstOffset: number,
    value: number,
    remote?: RemoteAction,
    options?: RequestOptions,
  ) => void
> = intrinsic(
  {
    name: 'gin.putValue',
    use: { send },
    params: {
      self: ginStruct,
      team,
      peer: i32,
      dst: window,
      dstOffset: addr,
      value: { kind: 'anyValue' },
      'remote?': remoteAction,
      'options?': requestOptions,
    },
  },
  (
    { send, bitcast, sizeOf, typeOf, addr, i32, u8, u16, u32, u64 },
    self: GinParts,
    team: Team,
    peer: number,
    dst: Window,
    dstOffset: number,
    value: number,
    remote: Absentable<RemoteAction>,
    options: RequestOptions,
  ) => {
    const size = sizeOf(typeOf(value));
    const word = size === 1 ? u8 : size === 2 ? u16 : size === 4 ? u32 : u64;
    const payload = {
      near: dst,
      nearOffset: addr(0),
      far: dst,
      farOffset: dstOffset,
      bytes: addr(size),
      value: u64(bitcast(word, value)),
    };
    send(self, team, peer, 'putValue', payload, remote, i32(-1), options);
  },
);

/**
 * `net.get(team, peer, remote, remoteOffset, local, localOffset, bytes, options?)`: reads the
 * peer's copy. The data has arrived after a flush of the context; neither signals nor counters show
 * it.
 *
 * @see ncclGin::get
 */
export const get: DeviceFn<
  (
    self: GinParts,
    team: Team,
    peer: number,
    remote: Window,
    remoteOffset: number,
    local: Window,
    localOffset: number,
    bytes: number,
    options?: RequestOptions,
  ) => void
> = intrinsic(
  {
    name: 'gin.get',
    use: { send },
    params: {
      self: ginStruct,
      team,
      peer: i32,
      remote: window,
      remoteOffset: addr,
      local: window,
      localOffset: addr,
      bytes: addr,
      'options?': requestOptions,
    },
  },
  (
    { send, i32, u64 },
    self: GinParts,
    team: Team,
    peer: number,
    remote: Window,
    remoteOffset: number,
    local: Window,
    localOffset: number,
    bytes: number,
    options: RequestOptions,
  ) => {
    const payload = {
      near: local,
      nearOffset: localOffset,
      far: remote,
      farOffset: remoteOffset,
      bytes,
      value: u64(0),
    };
    const none = {
      at: undefined,
      modify: undefined,
      strength: undefined,
      signal: undefined,
      window: undefined,
      offset: undefined,
      value: undefined,
    };
    send(self, team, peer, 'get', payload, none, i32(-1), options);
  },
);

/**
 * `net.signal(team, peer, remoteAction, options?)`: sends a signal without data. A weak signal
 * makes no put visible.
 *
 * @see ncclGin::signal
 */
export const signal: DeviceFn<
  (self: GinParts, team: Team, peer: number, remote: RemoteAction, options?: RequestOptions) => void
> = intrinsic(
  {
    name: 'gin.signal',
    use: { send },
    params: { self: ginStruct, team, peer: i32, remote: remoteAction, 'options?': requestOptions },
  },
  (
    { send, addr, i32, u64 },
    self: GinParts,
    team: Team,
    peer: number,
    remote: RemoteAction,
    options: RequestOptions,
  ) => {
    const { resourceWindow } = self.comm;
    const payload = {
      near: resourceWindow,
      nearOffset: addr(0),
      far: resourceWindow,
      farOffset: addr(0),
      bytes: addr(0),
      value: u64(0),
    };
    send(self, team, peer, 'signal', payload, remote, i32(-1), options);
  },
);
