import { devComm, findWindow, team, type DevComm } from '@nccl-ts/devcomm';
import { ginType } from '@nccl-ts/gin';
import { addr, deviceFn, i32, kernel, ptr, u32, u64, u8, type Kernel, type Ptr } from '@nccl-ts/kernel';
import {
  deviceCall,
  numberOf,
  type ConstantArguments,
  asNcclSays,
  type ModelledCall,
  type ModelledCalls,
} from './device-call.ts';
import { groupOf } from './group-of.ts';
import { nothingRemote, remoteOf, scopeOf } from './words.ts';

const transferParams = {
  comm: devComm,
  context: u32,
  sharing: u32,
  teamRanks: i32,
  teamRank: i32,
  teamStride: i32,
  peer: i32,
  flags: u32,
};
const signalled = { signal: u32, signalWindow: ptr(u8), signalOffset: addr, amount: u64 };

const windowAt = /* @__PURE__ */ deviceFn(
  { name: 'windowAt', use: { findWindow } },
  ({ findWindow, coopThread }, comm: DevComm, p: Ptr) => findWindow(coopThread(), comm, p),
);

/** The team of a request. */
interface TeamWords {
  readonly teamRanks: number;
  readonly teamRank: number;
  readonly teamStride: number;
}

const teamOf = /* @__PURE__ */ deviceFn(
  { name: 'teamOf', use: { Team: team } },
  ({ Team }, { teamRanks, teamRank, teamStride }: TeamWords) =>
    Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
);

/** The word at the peer that a request changes. */
interface Signalled {
  readonly comm: DevComm;
  readonly signal: number;
  readonly signalWindow: Ptr;
  readonly signalOffset: number;
  readonly amount: number;
}

/** The context, with the sharing that the call declares. A kernel may compute both. */
const contextOf = /* @__PURE__ */ deviceFn(
  { name: 'contextOf', use: { Gin: ginType } },
  ({ Gin }, call: { readonly comm: DevComm; readonly context: number; readonly sharing: number }) =>
    Gin({ comm: call.comm, index: call.context, sharing: call.sharing }),
);

/** The names with which the kernel of a request makes its arguments. */
function requestUse(known: ConstantArguments) {
  // A get has no other effect at the peer, and does not say what its bytes are ordered after.
  const remote = known['remote'] === undefined ? nothingRemote : remoteOf(known['remote']);
  const given = known['given'] === undefined ? 'thread' : scopeOf(known['given']);
  const required = known['required'] === undefined ? 'device' : scopeOf(known['required']);
  if (remote === undefined || given === undefined || required === undefined) return undefined;
  const group = groupOf(numberOf(known, 'coop'));
  const { at, modify, strength } = remote;
  const action = deviceFn(
    { name: 'action', use: { windowAt, at, modify, strength } },
    ({ windowAt, at, modify, strength }, { comm, signal, signalWindow, signalOffset, amount }: Signalled) =>
      at === 'va'
        ? { at, strength, modify, window: windowAt(comm, signalWindow), offset: signalOffset, value: amount }
        : { at: 'id' as const, strength, modify, signal, value: amount },
  );
  const options = deviceFn(
    { name: 'options', use: { group, GIVEN: given, REQUIRED: required } },
    ({ group, GIVEN, REQUIRED }, aggregateRequests: boolean) => ({
      coop: group(),
      givenRelease: GIVEN,
      requiredRelease: REQUIRED,
      aggregateRequests,
    }),
  );
  return { contextOf, teamOf, windowAt, action, ACTS: at !== 'none', options, group };
}

type RequestUse = NonNullable<ReturnType<typeof requestUse>>;

function request(names: string, make: (use: RequestUse, known: ConstantArguments) => Kernel): ModelledCall {
  return deviceCall(names, asNcclSays, (known) => {
    const use = requestUse(known);
    return use === undefined ? undefined : make(use, known);
  });
}

const team4 = 'teamRanks teamRank teamStride peer';
const signal4 = 'signal signalWindow signalOffset amount';

/** The arguments of a request that the kernel computes. */
interface PostedTransfer extends Signalled, TeamWords {
  readonly context: number;
  readonly sharing: number;
  readonly peer: number;
}

interface PutCall extends PostedTransfer {
  readonly dst: Ptr;
  readonly dstOffset: number;
  readonly src: Ptr;
  readonly srcOffset: number;
  readonly bytes: number;
  readonly counter: number;
}

interface PutValueCall extends PostedTransfer {
  readonly dst: Ptr;
  readonly dstOffset: number;
  readonly value: number;
}

interface GetCall extends Omit<PostedTransfer, keyof Signalled> {
  readonly comm: DevComm;
  readonly src: Ptr;
  readonly srcOffset: number;
  readonly dst: Ptr;
  readonly dstOffset: number;
  readonly bytes: number;
}

/** Requests to the network. The flags of a request are known only when it runs. */
export const ginTransfers: ModelledCalls = new Map([
  [
    '__nccl_ts_gin_put',
    request(
      `context sharing ${team4} dst dstOffset src srcOffset bytes remote! ${signal4} counted! counter coop! given! required! flags`,
      (use, known) => {
        const post = deviceFn(
          { name: 'post', use: { ...use, COUNTED: known['counted'] === 1 } },
          ({ contextOf, teamOf, windowAt, action, ACTS, options, COUNTED }, call: PutCall, aggregates: boolean) => {
            const { coop, givenRelease, requiredRelease, aggregateRequests } = options(aggregates);
            const far = windowAt(call.comm, call.dst);
            const near = windowAt(call.comm, call.src);
            contextOf(call).put(
              teamOf(call),
              call.peer,
              far,
              call.dstOffset,
              near,
              call.srcOffset,
              call.bytes,
              ACTS ? action(call) : undefined,
              {
                coop,
                givenRelease,
                requiredRelease,
                aggregateRequests,
                localAction: COUNTED ? { counter: call.counter } : undefined,
              },
            );
          },
        );
        const params = { dst: ptr(u8), dstOffset: addr, src: ptr(u8), srcOffset: addr, bytes: addr, counter: u32 };
        return kernel(
          { name: 'ncclGin::put', use: { post }, params: { ...transferParams, ...params, ...signalled } },
          ({ post }, call) => {
            if ((call.flags & 2) !== 0) post(call, true);
            else post(call, false);
          },
        );
      },
    ),
  ],
  [
    '__nccl_ts_gin_put_value',
    request(
      `context sharing ${team4} dst dstOffset value bytes! remote! ${signal4} coop! given! required! flags`,
      (use, known) => {
        const post = deviceFn(
          { name: 'post', use: { ...use, BYTES: numberOf(known, 'bytes') } },
          (
            { contextOf, teamOf, windowAt, action, ACTS, options, u8, u16, u32, BYTES },
            call: PutValueCall,
            aggregateRequests: boolean,
          ) => {
            const { peer, dstOffset, value } = call;
            contextOf(call).putValue(
              teamOf(call),
              peer,
              windowAt(call.comm, call.dst),
              dstOffset,
              BYTES === 1 ? u8(value) : BYTES === 2 ? u16(value) : BYTES === 4 ? u32(value) : value,
              ACTS ? action(call) : undefined,
              options(aggregateRequests),
            );
          },
        );
        const params = { dst: ptr(u8), dstOffset: addr, value: u64 };
        return kernel(
          { name: 'ncclGin::putValue', use: { post }, params: { ...transferParams, ...params, ...signalled } },
          ({ post }, call) => {
            if ((call.flags & 2) !== 0) post(call, true);
            else post(call, false);
          },
        );
      },
    ),
  ],
  [
    '__nccl_ts_gin_get',
    request(`context sharing ${team4} src srcOffset dst dstOffset bytes coop! flags`, (use) => {
      const post = deviceFn(
        { name: 'post', use },
        ({ contextOf, teamOf, windowAt, group }, call: GetCall, aggregateRequests: boolean) => {
          const far = windowAt(call.comm, call.src);
          const near = windowAt(call.comm, call.dst);
          const options = { coop: group(), aggregateRequests };
          const { peer, srcOffset, dstOffset, bytes } = call;
          contextOf(call).get(teamOf(call), peer, far, srcOffset, near, dstOffset, bytes, options);
        },
      );
      const params = { src: ptr(u8), srcOffset: addr, dst: ptr(u8), dstOffset: addr, bytes: addr };
      return kernel(
        { name: 'ncclGin::get', use: { post }, params: { ...transferParams, ...params } },
        ({ post }, call) => {
          if ((call.flags & 2) !== 0) post(call, true);
          else post(call, false);
        },
      );
    }),
  ],
  [
    '__nccl_ts_gin_signal',
    request(`context sharing ${team4} remote! ${signal4} coop! given! required! flags`, (use) => {
      const post = deviceFn(
        { name: 'post', use },
        ({ contextOf, teamOf, action, options }, call: PostedTransfer, aggregateRequests: boolean) => {
          contextOf(call).signal(teamOf(call), call.peer, action(call), options(aggregateRequests));
        },
      );
      return kernel(
        { name: 'ncclGin::signal', use: { post }, params: { ...transferParams, ...signalled } },
        ({ post }, call) => {
          if ((call.flags & 2) !== 0) post(call, true);
          else post(call, false);
        },
      );
    }),
  ],
]);
