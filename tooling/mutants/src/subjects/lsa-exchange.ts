import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Subject } from '../subject.ts';
import { exchanged, sameWords, type ExchangeSize } from './exchange.ts';

const kernels = { unicast: exchangeBy(false), multicast: exchangeBy(true) } as const;

/**
 * In every round each thread stores a word for one thread of each rank. All synchronize, each sums
 * the received words, and all synchronize again.
 */
function exchangeBy(MULTIMEM: boolean): Kernel {
  return kernel(
    {
      name: MULTIMEM ? 'lsaMultimemExchange' : 'lsaExchange',
      use: { lsa, MULTIMEM },
      params: { comm: devComm, inbox: window, sums: window, rounds: u32 },
    },
    ({ lsa, MULTIMEM, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, inbox, sums, rounds }) => {
      const first = blockIdx.x * u32(comm.lsaSize) * blockDim.x;
      const mine = lsa.localPointer(inbox, u32, 0);
      let sum = u32(0);
      for (let round = u32(0); round < rounds; round++) {
        // One session for each round, so that the next one finds the state that it saved.
        const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, { multimem: MULTIMEM });
        for (let peer = 0; peer < comm.lsaSize; peer++) {
          const theirs = lsa.pointer(inbox, u32, 0, peer);
          theirs[first + u32(comm.lsaRank) * blockDim.x + threadIdx.x] =
            u32(comm.lsaRank + 1) * 1000 + round * 100 + threadIdx.x;
        }
        bar.sync(coopCta(), 'acq_rel');
        for (let from = u32(0); from < u32(comm.lsaSize); from++) {
          sum += mine[first + from * blockDim.x + ((threadIdx.x + 1) % blockDim.x)]!;
        }
        bar.sync(coopCta(), 'acq_rel');
      }
      lsa.localPointer(sums, u32, 0)[threadIdx.x + blockIdx.x * blockDim.x] = sum;
    },
  );
}

function runWith(form: keyof typeof kernels, { ctas, threads, rounds, launches }: ExchangeSize): Subject['run'] {
  return async (backend, pause) => {
    await using world = await World.open({ backend });
    const right = await world.run(async (comm) => {
      const { nRanks } = comm.teamLsa();
      const inbox = await comm.allocWindow(u32, ctas * nRanks * threads);
      const sums = await comm.allocWindow(u32, ctas * threads);
      const devComm = await comm.createDevComm({ lsaBarrierCount: ctas, lsaMultimem: form === 'multicast' });
      // Twice, because the barriers continue from their saved epochs.
      for (let launch = 0; launch < launches; launch++) {
        await pause();
        const args = { comm: devComm, inbox, sums, rounds };
        await comm.launch(kernels[form], { grid: ctas, block: threads }, args);
      }
      return sameWords(await sums.read(), exchanged(nRanks, { ctas, threads, rounds }));
    });
    return right.every(Boolean);
  };
}

const small: ExchangeSize = { ctas: 2, threads: 64, rounds: 2, launches: 2 };
const tiny: ExchangeSize = { ctas: 2, threads: 2, rounds: 2, launches: 1 };

/** LSA barriers: each rank signals to each, or one multicast addition signals to all. */
export const lsaExchanges: readonly Subject[] = (['unicast', 'multicast'] as const).map((form) => ({
  name: `barriers/lsa-${form}`,
  shape: { ranks: 2, lsaSize: 2 },
  run: runWith(form, small),
  tiny: { shape: { ranks: 2, lsaSize: 2 }, run: runWith(form, tiny) },
}));
