import { teamRankToWorld, type Window } from '@nccl-ts/devcomm';
import { deviceFn, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import type { Team } from '@nccl-ts/topology';
import type { Absentable, RemoteAction } from '../remote-action.ts';
import type { RequestOptions } from '../options.ts';
import type { GinParts } from './gin-struct.ts';
import { checkListed, post, type RequestKind } from './primitives.ts';
import { checkContext } from './state-words.ts';

/** The target of a request. */
export interface Target {
  readonly self: GinParts;
  readonly team: Team;
  readonly peer: number;
}

/** A byte of a window, at the calling rank or at the peer. */
export interface WindowByte {
  readonly window: Window;
  readonly offset: number;
}

/** Returns the world rank of the team's member `peer`. The context must reach it. */
export const reachedPeer: DeviceFn<(self: GinParts, team: Team, peer: number) => number> = deviceFn(
  { name: 'reachedPeer', use: { checkContext, checkListed, teamRankToWorld } },
  ({ checkContext, checkListed, teamRankToWorld, requires, i32 }, self, of, peer) => {
    checkContext(self);
    requires(
      peer >= 0 && peer < of.nRanks,
      'peer {} of a GIN request: the ranks of its team are 0 to {}; for the next rank of a ring, take (rank + 1) % size; otherwise, test the peer before the request',
      peer,
      of.nRanks - 1,
    );
    const world = teamRankToWorld(self.comm, of, peer);
    requires(
      self.comm.ginContextStride !== self.comm.lsaSize || world % self.comm.lsaSize === self.comm.lsaRank,
      "peer {} of a GIN request is world rank {}, on another rail: only LSA rank {} of each domain is reached; createDevComm({ ginConnectionType: 'full' }) reaches all",
      peer,
      world,
      self.comm.lsaRank,
    );
    requires(
      world % self.comm.ginContextStride === self.comm.rank % self.comm.ginContextStride,
      "peer {} of a GIN request is world rank {}, and the connection reaches every rank number {} from rank {} on; createDevComm({ ginConnectionType: 'full' }) reaches all",
      peer,
      world,
      self.comm.ginContextStride,
      self.comm.rank % self.comm.ginContextStride,
    );
    // Every rank is at a multiple of -1, so the stride excludes none.
    if (self.comm.ginContextStride < 0) checkListed(self.comm, peer, world);
    return i32(world);
  },
);

/** The effect of a request. */
export interface PostedRequest {
  readonly kind: RequestKind;
  readonly near: WindowByte;
  readonly far: WindowByte;
  readonly bytes: number;
  readonly value: number;
  readonly remote: Absentable<RemoteAction>;
  /** -1 for none. */
  readonly counter: number;
}

/**
 * Synchronizes all threads of the group. One of them releases their writes and posts the request,
 * and then they synchronize again.
 */
export const send: DeviceFn<(to: Target, request: PostedRequest, options: RequestOptions) => void> = deviceFn(
  { name: 'send', use: { post, reachedPeer } },
  ({ post, reachedPeer, coopThread, fence, u32, u64, addr }, { self, team, peer }, request, options) => {
    const coop: CoopLike = options.coop === undefined ? coopThread() : options.coop;
    const given = options.givenRelease === undefined ? 'thread' : options.givenRelease;
    const required = options.requiredRelease === undefined ? 'device' : options.requiredRelease;
    coop.sync();
    if (coop.threadRank() === 0) {
      const world = reachedPeer(self, team, peer);
      // The caller has released nothing beyond `given`, and its word for that counts.
      const isGiven =
        given === required ||
        given === 'system' ||
        required === 'thread' ||
        (given === 'device' && required === 'block');
      if (!isGiven) fence('release', required);
      const { kind, near, far, bytes, value, remote, counter } = request;
      post(
        self.comm,
        self.index,
        self.sharing,
        kind,
        world,
        near.window,
        near.offset,
        far.window,
        far.offset,
        bytes,
        value,
        remote.at === undefined ? 'none' : remote.at,
        remote.modify === undefined ? 'inc' : remote.modify,
        remote.strength === undefined ? 'weak' : remote.strength,
        remote.signal === undefined ? u32(0) : remote.signal,
        remote.window === undefined ? self.comm.resourceWindow : remote.window,
        remote.offset === undefined ? addr(0) : remote.offset,
        remote.value === undefined ? u64(1) : remote.value,
        counter,
        options.aggregateRequests ? u32(1) : u32(0),
      );
    }
    coop.sync();
  },
);
