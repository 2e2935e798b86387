import { memoryOrders, type MemoryOrder } from '@nccl-ts/core';
import {
  ginBarrierHandle,
  lsaBarrierHandle,
  multimemHandle,
  team,
  teamLsa,
  teamRail,
  type DevComm,
  type GinBarrierHandle,
  type LsaBarrierHandle,
  type MultimemHandle,
} from '@nccl-ts/devcomm';
import { gin, ginType, type Gin, type GinBarrierSession, type GinFence } from '@nccl-ts/gin';
import { deviceSession, u32, u64, type Context, type Coop, type CoopLike, type DeviceFn } from '@nccl-ts/kernel';
import { lsa, type LsaBarrierSession } from '@nccl-ts/lsa';
import type { Team } from '@nccl-ts/topology';

/**
 * The ranks of a barrier: all of them, those of the LSA domain, or those with the same LSA rank in
 * each domain.
 */
export type BarrierTag = 'world' | 'lsa' | 'rail';

/** Options of a hybrid barrier. */
export interface BarrierOptions {
  /**
   * The team within a domain. Set all four options or none: the teams within and across domains,
   * and the handles of your own barriers over each.
   */
  readonly innerTeam?: Team;
  readonly outerTeam?: Team;
  readonly innerHandle?: LsaBarrierHandle;
  readonly outerHandle?: GinBarrierHandle;
  /**
   * True to arrive within a domain through the multicast address. It must be the same on all ranks.
   * @default false
   */
  readonly multimem?: boolean;
  /**
   * The multimem handle of `innerTeam`, for `multimem`: one of `multimemHandles`.
   *
   * @default that of the LSA team, `lsaMultimem`
   */
  readonly innerMmHandle?: MultimemHandle;
}

/**
 * A barrier over all ranks. It uses loads and stores within a domain, and the network across
 * domains. Each index takes an LSA barrier, a rail GIN barrier and, unless the connection is
 * `rail`, a world GIN barrier: `barrierCount` of the requirements.
 *
 * Over `'world'`, a fence of puts needs the network between all ranks. In that case, and with no
 * `rail` connection, only the world GIN barrier runs. Otherwise the domain synchronizes first, and
 * then the rail, which does the fence. Both use the whole order, although NCCL gives each of them a
 * half.
 *
 * Every thread of `coop` must make each call, and each rank must make the same calls with the same
 * index. The rules of its parts apply too: the width of the group (see `GinBarrierSession`), and
 * one live session per index.
 *
 * @see ncclBarrierSession
 */
export interface BarrierSession {
  sync(coop: CoopLike, order: MemoryOrder, fence?: GinFence): void;
  /**
   * Gives up after `timeoutCycles`. Returns 0, or `ResultCode.Timeout` (8). The rail part gets the
   * time that remains after the domain part, and runs even if the domain part timed out. After a
   * time-out the barrier's epochs are undefined.
   */
  sync(coop: CoopLike, order: MemoryOrder, fence: GinFence, timeoutCycles: number): number;
  /** The part within the domain. A barrier over `'rail'` has none. */
  lsaBarrier(): LsaBarrierSession;
  /** The part across domains. A barrier over `'lsa'` has none. */
  ginBarrier(): GinBarrierSession;
}

interface BarrierState {
  railed: boolean;
  lsaBarrier: LsaBarrierSession;
  ginBarrier: GinBarrierSession;
  worldBarrier: GinBarrierSession;
}

const order = { kind: 'word', words: memoryOrders } as const;
const coop = { kind: 'coop' } as const;
const tags: readonly BarrierTag[] = ['world', 'lsa', 'rail'];
const fences: readonly GinFence[] = ['none', 'put', 'get', 'putGet'];

const uses = { gin, lsa, teamLsa, teamRail };

/**
 * Makes a session: `barrier.session(coop, net, 'world' | 'lsa' | 'rail', index, { multimem?,
 * innerTeam?, outerTeam?, innerHandle?, outerHandle?, innerMmHandle? })`.
 */
export const session: DeviceFn<
  (coop: CoopLike, net: Gin, tag: BarrierTag, index: number, options?: BarrierOptions) => BarrierSession
> = deviceSession({
  name: 'barrier.session',
  use: uses,
  state: { railed: 'fixed', lsaBarrier: 'part', ginBarrier: 'part', worldBarrier: 'part' },
  params: {
    coop,
    net: ginType,
    tag: { kind: 'word', words: tags },
    index: u32,
    'options?': {
      kind: 'options',
      members: {
        innerTeam: team,
        outerTeam: team,
        innerHandle: lsaBarrierHandle,
        outerHandle: ginBarrierHandle,
        multimem: { kind: 'constant' },
        innerMmHandle: multimemHandle,
      },
    },
  },
  ctor: (
    { gin, lsa, teamLsa, teamRail, requires, addr, u32 }: Context<typeof uses>,
    self: BarrierState,
    coop: CoopLike,
    net: Gin,
    tag: BarrierTag,
    index: number,
    options: BarrierOptions,
  ) => {
    const comm: DevComm = net.comm;
    const multimem = options.multimem === undefined ? false : options.multimem;
    self.railed = comm.ginContextsRailed;
    // The parts' own preconditions are weaker. A rail index that is too large may still belong to
    // another barrier.
    if (options.outerHandle === undefined) {
      requires(
        index < u32(comm.hybridLsaBarrier.nBarriers),
        'hybrid barrier index {}, but the device communicator has {}: createDevComm({ barrierCount: {} })',
        index,
        comm.hybridLsaBarrier.nBarriers,
        addr(index) + 1,
      );
    }
    if (tag !== 'rail') {
      self.lsaBarrier = lsa.barrierSession(coop, comm, index, {
        team: options.innerTeam === undefined ? teamLsa(comm) : options.innerTeam,
        handle: options.innerHandle === undefined ? comm.hybridLsaBarrier : options.innerHandle,
        multimem,
        mmHandle: options.innerMmHandle === undefined ? comm.lsaMultimem : options.innerMmHandle,
      });
    }
    if (tag !== 'lsa') {
      self.ginBarrier = gin.barrierSession(coop, net, 'rail', index, {
        team: options.outerTeam === undefined ? teamRail(comm) : options.outerTeam,
        handle: options.outerHandle === undefined ? comm.hybridRailGinBarrier : options.outerHandle,
      });
    }
    if (tag === 'world' && options.outerHandle === undefined) {
      self.worldBarrier = gin.barrierSession(coop, net, 'world', index, { handle: comm.hybridWorldGinBarrier });
    }
  },
  methods: {
    sync: {
      params: { coop, order, 'fence?': { kind: 'word', words: fences }, 'timeoutCycles?': u64 },
      body: (
        { clock, min, u32 }: Context<typeof uses>,
        self: BarrierState,
        coop: Coop,
        order: MemoryOrder,
        fence?: GinFence,
        timeoutCycles?: number,
      ) => {
        const asked = fence === undefined ? 'putGet' : fence;
        const ofPuts = asked === 'put' || asked === 'putGet';
        if (timeoutCycles === undefined) {
          if (self.worldBarrier !== undefined && ofPuts && !self.railed) self.worldBarrier.sync(coop, order, asked);
          else {
            if (self.lsaBarrier !== undefined) {
              self.lsaBarrier.sync(coop, order);
            }
            if (self.ginBarrier !== undefined) {
              self.ginBarrier.sync(coop, order, asked);
            }
          }
          return undefined;
        }
        let result = u32(0);
        if (self.worldBarrier !== undefined && ofPuts && !self.railed) {
          result = self.worldBarrier.sync(coop, order, asked, timeoutCycles);
        } else {
          let left = timeoutCycles;
          if (self.lsaBarrier !== undefined) {
            const start = clock();
            result = self.lsaBarrier.sync(coop, order, timeoutCycles);
            left -= min(clock() - start, left);
          }
          if (self.ginBarrier !== undefined) {
            const across = self.ginBarrier.sync(coop, order, asked, left);
            if (result === 0) result = across;
          }
        }
        return result;
      },
    },
  },
});
