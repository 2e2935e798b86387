import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Runs the experts on the tokens from `dispatchTokens`, and sends each result back to its token's
 * rank. Instead of real layers, expert e multiplies by e + 1.
 *
 * Each CTA empties one box, and waits until one expert has sent all its results for this rank.
 * `returned` has `hidden` floats for every choice of every token. `outbox` holds the data for the
 * network. An expert reports its end with a signal, numbered after those of `dispatchTokens`, or in
 * `flags`. An expert without tokens reports too. So no rank begins its next dispatch before all
 * ranks have emptied the boxes of this one.
 */
export const combineTokens = kernel(
  {
    name: 'combineTokens',
    use: { gin, lsa, teamWorld },
    params: {
      inbox: window,
      origins: window,
      counts: window,
      outbox: window,
      returned: window,
      flags: window,
      tokens: u32,
      hidden: u32,
      perRank: u32,
      comm: devComm,
    },
  },
  (
    { gin, lsa, teamWorld, coopCta, threadIdx, blockIdx, blockDim, gridDim, waitUntil, f32, u32 },
    { inbox, origins, counts, outbox, returned, flags, tokens, hidden, perRank, comm },
  ) => {
    const world = teamWorld(comm);
    const nRanks = u32(comm.nRanks);
    const firstLocal = u32(comm.rank - comm.lsaRank);
    const isLocal = (peer: number) => peer >= firstLocal && peer < firstLocal + u32(comm.lsaSize);
    const lead = threadIdx.x === 0;

    const box = blockIdx.x;
    const sender = box % nRanks;
    const expert = u32(comm.rank) * perRank + box / nRanks;
    const net = gin.context(comm, expert % comm.ginContextCount);
    const came = lsa.localPointer(inbox, f32, 0);
    const from = lsa.localPointer(origins, u32, 0);
    const ours = lsa.localPointer(outbox, f32, 0);
    const count = lsa.localPointer(counts, u32, 0)[box]!;
    for (let slot = box * tokens; slot < box * tokens + count; slot++) {
      const choice = from[slot]!;
      if (isLocal(sender)) {
        const theirs = lsa.pointer(returned, f32, choice * hidden * 4, sender - firstLocal);
        for (let i = threadIdx.x; i < hidden; i += blockDim.x) theirs[i] = came[slot * hidden + i]! * f32(expert + 1);
      } else {
        for (let i = threadIdx.x; i < hidden; i += blockDim.x) {
          ours[slot * hidden + i] = came[slot * hidden + i]! * f32(expert + 1);
        }
        const bytes = hidden * 4;
        net.put(world, sender, returned, choice * bytes, outbox, slot * bytes, bytes, undefined, {
          coop: coopCta(),
          aggregateRequests: true,
        });
      }
    }
    coopCta().sync();
    const firstSignal = gridDim.x;
    if (lead) {
      if (!isLocal(sender)) net.signal(world, sender, gin.strongSignalAdd(firstSignal + expert, 1));
      else lsa.pointer(flags, u32, 0, sender - firstLocal).store(expert, 1, 'release', 'system');
    }

    const awaited = blockIdx.x;
    if (isLocal(awaited / perRank)) {
      const flag = lsa.localPointer(flags, u32, 0).offset(awaited);
      waitUntil(() => flag.load(0, 'acquire', 'system') !== 0);
      coopCta().sync();
      if (lead) flag.store(0, 0, 'relaxed', 'system');
    } else {
      const back = gin.context(comm, awaited % comm.ginContextCount);
      back.waitSignal(coopCta(), firstSignal + awaited, 1);
      if (lead) back.resetSignal(firstSignal + awaited);
    }
    // The outbox may be overwritten once this kernel has ended.
    net.flush(coopCta());
  },
);
