import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Sends every token to its experts, and finds out how many tokens each rank has sent.
 *
 * A rank has `perRank` experts. For each expert and each sender, it has a box of `tokens` slots in
 * `inbox`, with `hidden` floats per slot. `origins` says which of its choices the sender has sent
 * there. There are as many CTAs as experts. Each sends the tokens of one expert, and waits for the
 * tokens in one box.
 *
 * One word holds the number of tokens plus one, so it also signals their arrival. Remote senders
 * add it to a signal with the box's number, on a context that the expert's number selects. Local
 * senders store it in `flags`. When the kernel ends, this word is 0 again, and `counts` has the
 * number.
 */
export const dispatchTokens = kernel(
  {
    name: 'dispatchTokens',
    use: { gin, lsa, teamWorld },
    params: {
      routes: window,
      x: window,
      inbox: window,
      origins: window,
      flags: window,
      counts: window,
      tokens: u32,
      topK: u32,
      hidden: u32,
      perRank: u32,
      comm: devComm,
    },
  },
  (
    { gin, lsa, teamWorld, coopCta, threadIdx, blockIdx, blockDim, waitUntil, f32, u32, u64 },
    { routes, x, inbox, origins, flags, counts, tokens, topK, hidden, perRank, comm },
  ) => {
    const world = teamWorld(comm);
    const nRanks = u32(comm.nRanks);
    const firstLocal = u32(comm.rank - comm.lsaRank);
    const isLocal = (peer: number) => peer >= firstLocal && peer < firstLocal + u32(comm.lsaSize);
    const lead = threadIdx.x === 0;

    const expert = blockIdx.x;
    const owner = expert / perRank;
    const theirBox = (expert % perRank) * nRanks + u32(comm.rank);
    const net = gin.context(comm, expert % comm.ginContextCount);
    const mine = lsa.localPointer(x, f32, 0);
    const chosen = lsa.localPointer(routes, u32, 0);
    let sent = u32(0);
    for (let choice = u32(0); choice < tokens * topK; choice++) {
      if (chosen[choice]! !== expert) continue;
      const slot = theirBox * tokens + sent;
      const token = choice / topK;
      if (isLocal(owner)) {
        const theirs = lsa.pointer(inbox, f32, 0, owner - firstLocal);
        for (let i = threadIdx.x; i < hidden; i += blockDim.x) theirs[slot * hidden + i] = mine[token * hidden + i]!;
        if (lead) lsa.pointer(origins, u32, 0, owner - firstLocal)[slot] = choice;
      } else if (lead) {
        // These puts may be deferred until the signal.
        const bytes = hidden * 4;
        const together = { aggregateRequests: true };
        net.put(world, owner, inbox, slot * bytes, x, token * bytes, bytes, undefined, together);
        net.putValue(world, owner, origins, slot * 4, choice, undefined, together);
      }
      sent++;
    }
    coopCta().sync();
    if (lead) {
      // A strong signal. A rank that sees it has received all earlier puts to it on that context.
      if (!isLocal(owner)) net.signal(world, owner, gin.strongSignalAdd(theirBox, u64(sent) + 1));
      else lsa.pointer(flags, u32, 0, owner - firstLocal).store(theirBox, sent + 1, 'release', 'system');
    }

    const box = blockIdx.x;
    const sender = box % nRanks;
    const receiving = u32(comm.rank) * perRank + box / nRanks;
    let told = u64(0);
    if (isLocal(sender)) {
      const flag = lsa.localPointer(flags, u32, 0).offset(box);
      waitUntil(() => flag.load(0, 'acquire', 'system') !== 0);
      told = u64(flag.load(0, 'relaxed', 'system'));
      coopCta().sync();
      if (lead) flag.store(0, 0, 'relaxed', 'system');
    } else {
      const from = gin.context(comm, receiving % comm.ginContextCount);
      from.waitSignal(coopCta(), box, 1);
      told = from.readSignal(box);
      coopCta().sync();
      if (lead) from.resetSignal(box);
    }
    if (lead) lsa.localPointer(counts, u32, 0)[box] = u32(told) - 1;

    // The tokens may be overwritten once this kernel has ended.
    net.flush(coopCta());
  },
);
