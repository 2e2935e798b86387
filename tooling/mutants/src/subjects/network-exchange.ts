import { barrier } from '@nccl-ts/barrier';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { RankShape, Subject } from '../subject.ts';
import { exchanged, sameWords, type ExchangeSize } from './exchange.ts';

const params = { comm: devComm, outbox: window, inbox: window, sums: window, rounds: u32 };

/**
 * Like the exchange by stores, but every word is put. A CTA writes its words, and puts them to each
 * rank.
 */
const ginExchange = kernel(
  { name: 'ginExchange', use: { gin, lsa, teamWorld }, params },
  ({ gin, lsa, teamWorld, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, outbox, inbox, sums, rounds }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const own = blockIdx.x * blockDim.x;
    const first = blockIdx.x * u32(comm.nRanks) * blockDim.x;
    const words = lsa.localPointer(outbox, u32, 0);
    const mine = lsa.localPointer(inbox, u32, 0);
    let sum = u32(0);
    for (let round = u32(0); round < rounds; round++) {
      const bar = gin.barrierSession(coopCta(), net, 'world', blockIdx.x);
      words[own + threadIdx.x] = u32(comm.rank + 1) * 1000 + round * 100 + threadIdx.x;
      const to = (first + u32(comm.rank) * blockDim.x) * 4;
      for (let peer = 0; peer < comm.nRanks; peer++) {
        net.put(world, peer, inbox, to, outbox, own * 4, blockDim.x * 4, undefined, { coop: coopCta() });
      }
      net.flush(coopCta());
      // Waits until the source of a put may be overwritten.
      words[own + threadIdx.x] = 0;
      bar.sync(coopCta(), 'acq_rel', 'put');
      for (let from = u32(0); from < u32(comm.nRanks); from++) {
        sum += mine[first + from * blockDim.x + ((threadIdx.x + 1) % blockDim.x)]!;
      }
      bar.sync(coopCta(), 'acq_rel', 'none');
    }
    lsa.localPointer(sums, u32, 0)[threadIdx.x + blockIdx.x * blockDim.x] = sum;
  },
);

/** Sends by stores within the domain, and by puts to the other ranks. */
const hybridExchange = kernel(
  { name: 'hybridExchange', use: { barrier, gin, lsa, teamWorld }, params },
  (
    { barrier, gin, lsa, teamWorld, coopCta, threadIdx, blockIdx, blockDim, u32 },
    { comm, outbox, inbox, sums, rounds },
  ) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const own = blockIdx.x * blockDim.x;
    const first = blockIdx.x * u32(comm.nRanks) * blockDim.x;
    const firstLocal = comm.rank - comm.lsaRank;
    const words = lsa.localPointer(outbox, u32, 0);
    const mine = lsa.localPointer(inbox, u32, 0);
    let sum = u32(0);
    for (let round = u32(0); round < rounds; round++) {
      const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
      const word = u32(comm.rank + 1) * 1000 + round * 100 + threadIdx.x;
      const place = first + u32(comm.rank) * blockDim.x;
      words[own + threadIdx.x] = word;
      for (let peer = 0; peer < comm.nRanks; peer++) {
        if (peer >= firstLocal && peer < firstLocal + comm.lsaSize) {
          lsa.pointer(inbox, u32, 0, peer - firstLocal)[place + threadIdx.x] = word;
        } else {
          net.put(world, peer, inbox, place * 4, outbox, own * 4, blockDim.x * 4, undefined, { coop: coopCta() });
        }
      }
      net.flush(coopCta());
      // Waits until the source of a put may be overwritten.
      words[own + threadIdx.x] = 0;
      bar.sync(coopCta(), 'acq_rel', 'put');
      for (let from = u32(0); from < u32(comm.nRanks); from++) {
        sum += mine[first + from * blockDim.x + ((threadIdx.x + 1) % blockDim.x)]!;
      }
      bar.sync(coopCta(), 'acq_rel', 'none');
    }
    lsa.localPointer(sums, u32, 0)[threadIdx.x + blockIdx.x * blockDim.x] = sum;
  },
);

type ExchangeKind = 'gin' | 'hybrid';

function runWith(form: ExchangeKind, { ctas, threads, rounds, launches }: ExchangeSize): Subject['run'] {
  return async (backend, pause) => {
    await using world = await World.open({ backend });
    const right = await world.run(async (comm) => {
      const { nRanks } = comm;
      const outbox = await comm.allocWindow(u32, ctas * threads);
      const inbox = await comm.allocWindow(u32, ctas * nRanks * threads);
      const sums = await comm.allocWindow(u32, ctas * threads);
      const devComm = await comm.createDevComm({
        ginConnectionType: 'full',
        ...(form === 'gin' ? { worldGinBarrierCount: ctas } : { barrierCount: ctas }),
      });
      for (let launch = 0; launch < launches; launch++) {
        await pause();
        const args = { comm: devComm, outbox, inbox, sums, rounds };
        const one = form === 'gin' ? ginExchange : hybridExchange;
        await comm.launch(one, { grid: ctas, block: threads }, args);
      }
      return sameWords(await sums.read(), exchanged(nRanks, { ctas, threads, rounds }));
    });
    return right.every(Boolean);
  };
}

const small: ExchangeSize = { ctas: 2, threads: 64, rounds: 2, launches: 2 };
const tiny: ExchangeSize = { ctas: 2, threads: 2, rounds: 2, launches: 1 };
const shapes: Readonly<Record<ExchangeKind, { readonly small: RankShape; readonly tiny: RankShape }>> = {
  gin: { small: { ranks: 2, lsaSize: 1 }, tiny: { ranks: 2, lsaSize: 1 } },
  // A domain of two ranks, and a second domain.
  hybrid: { small: { ranks: 4, lsaSize: 2 }, tiny: { ranks: 4, lsaSize: 2 } },
};

/** Barriers over the network, and over both NVLink and the network. */
export const networkExchanges: readonly Subject[] = (['gin', 'hybrid'] as const).map((form) => ({
  name: `barriers/${form}`,
  shape: shapes[form].small,
  run: runWith(form, small),
  tiny: { shape: shapes[form].tiny, run: runWith(form, tiny) },
}));
