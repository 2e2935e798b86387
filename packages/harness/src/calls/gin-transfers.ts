import { devComm, findWindow, team } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { addr, i32, kernel, ptr, u32, u64, u8 } from '@nccl-ts/kernel';
import type { CallMap } from '@nccl-ts/ptx';
import { deviceCall, numberOf, type Known } from './device-call.ts';
import { nothingRemote, remoteOf, scopeOf, sharingOf } from './words.ts';

const use = { gin, findWindow, Team: team };
const place = { comm: devComm, context: u32, teamRanks: i32, teamRank: i32, teamStride: i32, peer: i32 };
const signalled = { signal: u32, signalWindow: ptr(u8), signalOffset: addr, amount: u64 };

/** The arguments that all requests take. */
function requestWords(known: Known) {
  const sharing = sharingOf(numberOf(known, 'sharing'));
  // A get has no other effect at the peer, and does not say what its bytes are ordered after.
  const remote = known['remote'] === undefined ? nothingRemote : remoteOf(known['remote']);
  const given = known['given'] === undefined ? 'thread' : scopeOf(known['given']);
  const required = known['required'] === undefined ? 'device' : scopeOf(known['required']);
  if (sharing === undefined || remote === undefined || given === undefined || required === undefined) return undefined;
  const flags = numberOf(known, 'flags');
  return {
    SHARING: sharing,
    AT: remote.at,
    MODIFY: remote.modify,
    STRENGTH: remote.strength,
    COOP: numberOf(known, 'coop'),
    GIVEN: given,
    REQUIRED: required,
    AGGREGATES: (flags & 2) !== 0,
  };
}

const team4 = 'teamRanks teamRank teamStride peer';
const signal4 = 'signal signalWindow signalOffset amount';

/** Requests to the network. */
export const ginTransfers: CallMap = new Map([
  [
    '__nccl_ts_gin_put',
    deviceCall(
      `context sharing! ${team4} dst dstOffset src srcOffset bytes remote! ${signal4} counted! counter coop! given! required! flags!`,
      (known) => {
        const words = requestWords(known);
        return words === undefined ? undefined : put({ ...words, COUNTED: known['counted'] === 1 });
      },
    ),
  ],
  [
    '__nccl_ts_gin_put_value',
    deviceCall(
      `context sharing! ${team4} dst dstOffset value bytes! remote! ${signal4} coop! given! required! flags!`,
      (known) => {
        const words = requestWords(known);
        return words === undefined ? undefined : putValue({ ...words, BYTES: numberOf(known, 'bytes') });
      },
    ),
  ],
  [
    '__nccl_ts_gin_get',
    deviceCall(`context sharing! ${team4} src srcOffset dst dstOffset bytes coop! flags!`, (known) => {
      const words = requestWords(known);
      return words === undefined ? undefined : get(words);
    }),
  ],
  [
    '__nccl_ts_gin_signal',
    deviceCall(`context sharing! ${team4} remote! ${signal4} coop! given! required! flags!`, (known) => {
      const words = requestWords(known);
      return words === undefined ? undefined : signal(words);
    }),
  ],
]);

type RequestWords = NonNullable<ReturnType<typeof requestWords>>;

function put(words: RequestWords & { readonly COUNTED: boolean }) {
  return kernel(
    {
      name: 'ncclGin::put',
      use: { ...use, ...words },
      params: {
        ...place,
        dst: ptr(u8),
        dstOffset: addr,
        src: ptr(u8),
        srcOffset: addr,
        bytes: addr,
        ...signalled,
        counter: u32,
      },
    },
    (
      {
        gin,
        findWindow,
        Team,
        coopTile,
        coopCta,
        coopThread,
        SHARING,
        AT,
        MODIFY,
        STRENGTH,
        COOP,
        GIVEN,
        REQUIRED,
        AGGREGATES,
        COUNTED,
      },
      {
        comm,
        context,
        teamRanks,
        teamRank,
        teamStride,
        peer,
        dst,
        dstOffset,
        src,
        srcOffset,
        bytes,
        signal,
        signalWindow,
        signalOffset,
        amount,
        counter,
      },
    ) => {
      const net = gin.context(comm, context, SHARING);
      const far = findWindow(coopThread(), comm, dst);
      const near = findWindow(coopThread(), comm, src);
      net.put(
        Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
        peer,
        far,
        dstOffset,
        near,
        srcOffset,
        bytes,
        AT === 'none'
          ? undefined
          : AT === 'id'
            ? { at: AT, strength: STRENGTH, modify: MODIFY, signal, value: amount }
            : {
                at: AT,
                strength: STRENGTH,
                modify: MODIFY,
                window: findWindow(coopThread(), comm, signalWindow),
                offset: signalOffset,
                value: amount,
              },
        {
          coop: COOP === 0 ? coopCta() : coopTile(COOP),
          givenRelease: GIVEN,
          requiredRelease: REQUIRED,
          aggregateRequests: AGGREGATES,
          localAction: COUNTED ? { counter } : undefined,
        },
      );
    },
  );
}

function putValue(words: RequestWords & { readonly BYTES: number }) {
  return kernel(
    {
      name: 'ncclGin::putValue',
      use: { ...use, ...words },
      params: { ...place, dst: ptr(u8), dstOffset: addr, value: u64, ...signalled },
    },
    (
      {
        gin,
        findWindow,
        Team,
        coopTile,
        coopCta,
        coopThread,
        u8,
        u16,
        u32,
        SHARING,
        AT,
        MODIFY,
        STRENGTH,
        COOP,
        GIVEN,
        REQUIRED,
        AGGREGATES,
        BYTES,
      },
      {
        comm,
        context,
        teamRanks,
        teamRank,
        teamStride,
        peer,
        dst,
        dstOffset,
        value,
        signal,
        signalWindow,
        signalOffset,
        amount,
      },
    ) => {
      const net = gin.context(comm, context, SHARING);
      net.putValue(
        Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
        peer,
        findWindow(coopThread(), comm, dst),
        dstOffset,
        BYTES === 1 ? u8(value) : BYTES === 2 ? u16(value) : BYTES === 4 ? u32(value) : value,
        AT === 'none'
          ? undefined
          : AT === 'id'
            ? { at: AT, strength: STRENGTH, modify: MODIFY, signal, value: amount }
            : {
                at: AT,
                strength: STRENGTH,
                modify: MODIFY,
                window: findWindow(coopThread(), comm, signalWindow),
                offset: signalOffset,
                value: amount,
              },
        {
          coop: COOP === 0 ? coopCta() : coopTile(COOP),
          givenRelease: GIVEN,
          requiredRelease: REQUIRED,
          aggregateRequests: AGGREGATES,
        },
      );
    },
  );
}

function get(words: RequestWords) {
  return kernel(
    {
      name: 'ncclGin::get',
      use: { ...use, ...words },
      params: { ...place, src: ptr(u8), srcOffset: addr, dst: ptr(u8), dstOffset: addr, bytes: addr },
    },
    (
      { gin, findWindow, Team, coopTile, coopCta, coopThread, SHARING, COOP, AGGREGATES },
      { comm, context, teamRanks, teamRank, teamStride, peer, src, srcOffset, dst, dstOffset, bytes },
    ) => {
      const net = gin.context(comm, context, SHARING);
      net.get(
        Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride }),
        peer,
        findWindow(coopThread(), comm, src),
        srcOffset,
        findWindow(coopThread(), comm, dst),
        dstOffset,
        bytes,
        { coop: COOP === 0 ? coopCta() : coopTile(COOP), aggregateRequests: AGGREGATES },
      );
    },
  );
}

function signal(words: RequestWords) {
  return kernel(
    { name: 'ncclGin::signal', use: { ...use, ...words }, params: { ...place, ...signalled } },
    (
      {
        gin,
        findWindow,
        Team,
        coopTile,
        coopCta,
        coopThread,
        SHARING,
        AT,
        MODIFY,
        STRENGTH,
        COOP,
        GIVEN,
        REQUIRED,
        AGGREGATES,
      },
      { comm, context, teamRanks, teamRank, teamStride, peer, signal, signalWindow, signalOffset, amount },
    ) => {
      const net = gin.context(comm, context, SHARING);
      const to = Team({ nRanks: teamRanks, rank: teamRank, stride: teamStride });
      const options = {
        coop: COOP === 0 ? coopCta() : coopTile(COOP),
        givenRelease: GIVEN,
        requiredRelease: REQUIRED,
        aggregateRequests: AGGREGATES,
      };
      if (AT === 'va') {
        const window = findWindow(coopThread(), comm, signalWindow);
        net.signal(
          to,
          peer,
          { at: 'va', strength: STRENGTH, modify: MODIFY, window, offset: signalOffset, value: amount },
          options,
        );
      } else {
        net.signal(to, peer, { at: 'id', strength: STRENGTH, modify: MODIFY, signal, value: amount }, options);
      }
    },
  );
}
