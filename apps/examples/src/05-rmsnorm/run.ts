import { rowExchangeRequirement } from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { ExampleOptions } from '../example.ts';
import { eachRound, roundsIn } from '../rounds.ts';
import { firstMismatch, printVerdict } from '../verify.ts';
import { rmsNormGin } from './gin-kernel.ts';
import { rmsNormHybrid } from './hybrid-kernel.ts';
import { rmsNormLsa } from './lsa-kernel.ts';
import { rmsNormMultimem } from './multimem-kernel.ts';
import { rmsNormPush } from './push-kernel.ts';
import { normalised, partsOf } from './reference.ts';

const EPS = 1e-6;
/** The tolerance of NCCL's examples. */
const tolerance = { absolute: 1e-5, relative: 1e-4 } as const;

export interface RmsNormOptions extends ExampleOptions {
  /**
   * How the parts are combined. `lsa`, `push` and `multimem` work within each LSA team, and the
   * others over all ranks.
   */
  readonly form: RmsNormForm;
  /** The number of tokens that each rank normalises, which is the number of CTAs. */
  readonly tokensPerRank: number;
  /** The number of floats of a token. */
  readonly hidden: number;
  /** A power of two, and at least the number of ranks minus one. */
  readonly threads: number;
  /** The number of rounds, each with different data. */
  readonly rounds: number;
}

export type RmsNormForm = 'lsa' | 'push' | 'multimem' | 'gin' | 'hybrid';

/**
 * Runs NCCL's examples `07_kernel_fusion`: a reduce-scatter, an RMSNorm and an all-gather in one
 * kernel.
 *
 * @returns true if every rank has every token in every round, except for rounding.
 */
export async function runRmsNorm(options: RmsNormOptions): Promise<boolean> {
  const { backend, print, pause, form, tokensPerRank, hidden, threads, rounds } = options;
  print(`RMSNorm fused with reduce-scatter and all-gather, ${form}`);
  await using world = await World.open({ backend });
  const spans = form === 'gin' || form === 'hybrid';
  const teamSize = spans ? world.nRanks : world.comm(0).teamLsa().nRanks;
  print(`  Ranks:            ${world.nRanks}${spans ? '' : `, in LSA teams of ${teamSize}`}`);
  print(`  Sequence length:  ${teamSize * tokensPerRank} tokens`);
  print(`  Hidden size:      ${hidden}`);
  print(`  Tokens per rank:  ${tokensPerRank}`);
  print(`  Threads per CTA:  ${threads}`);

  const mismatches = await world.run(async (comm) => {
    const team = spans ? comm.teamWorld() : comm.teamLsa();
    const ranks = Array.from({ length: team.nRanks }, (_, i) => comm.rank - team.rank + i);
    const length = team.nRanks * tokensPerRank * hidden;
    const data = await comm.allocWindow(f32, length);
    const { launch, reuse } = await layer(comm, data, options);
    const given = roundsIn(comm, await comm.allocWindow(f32, rounds * length), length);
    const kept = roundsIn(comm, await comm.allocWindow(f32, rounds * length), length);
    await given.all.write(eachRound(rounds, (round) => partsOf(comm.rank, length, round)));
    for (let round = 0; round < rounds; round++) {
      await pause?.();
      await given.give(round, data);
      await launch();
      await kept.keep(round, data);
      await reuse?.();
    }
    const expected = eachRound(rounds, (round) => normalised(ranks, { length, hidden, eps: EPS, round }));
    return firstMismatch(await kept.all.read(), expected, tolerance);
  });
  print('  Kernels have ended on all ranks');
  return printVerdict(mismatches, print);
}

/** The kernel of a form on one rank, and the launch that follows it. */
interface NormLayer {
  readonly launch: () => Promise<void>;
  /** Overwrites the kernel's scratch memory, as a later layer with the same memory would. */
  readonly reuse?: () => Promise<void>;
}

/** Creates the resources of the form. */
async function layer(
  comm: Communicator,
  data: Window<'f32'>,
  { form, tokensPerRank, hidden, threads }: RmsNormOptions,
): Promise<NormLayer> {
  const config = { grid: tokensPerRank, block: threads };
  const shape = { hidden, eps: EPS };
  const barriers = tokensPerRank;
  switch (form) {
    case 'lsa': {
      const devComm = await comm.createDevComm({ lsaBarrierCount: barriers });
      return { launch: async () => comm.launch(rmsNormLsa, config, { win: data, ...shape, comm: devComm }) };
    }
    case 'push': {
      // A row has a word of 4 floats for each thread.
      const block = 32 * Math.ceil(hidden / 128);
      const requirement = rowExchangeRequirement({ ctas: tokensPerRank, turnWords: block }, comm.lsaSize);
      const devComm = await comm.createDevComm({ resourceRequirementsList: [requirement] });
      const words = devComm.plan.resources[0]?.bufHandle;
      if (words === undefined) throw new RangeError('The device communicator lacks its resource.');
      const exchange = { words, turnWords: block };
      const tokens = tokensPerRank * comm.lsaSize;
      return {
        launch: async () =>
          comm.launch(
            rmsNormPush,
            { grid: tokensPerRank, block },
            { data: data.symPtr(), tokens, ...shape, exchange, comm: devComm },
          ),
      };
    }
    case 'multimem': {
      const devComm = await comm.createDevComm({ lsaBarrierCount: barriers, lsaMultimem: true });
      return { launch: async () => comm.launch(rmsNormMultimem, config, { win: data, ...shape, comm: devComm }) };
    }
    case 'gin':
    case 'hybrid': {
      const words = comm.nRanks * tokensPerRank * hidden;
      const inbox = await comm.allocWindow(f32, words);
      const other = roundsIn(comm, await comm.allocWindow(f32, words), words);
      const devComm = await comm.createDevComm({
        ginConnectionType: 'full',
        ginSignalCount: tokensPerRank,
        ...(form === 'gin' ? { worldGinBarrierCount: barriers } : { barrierCount: barriers }),
      });
      const kernel = form === 'gin' ? rmsNormGin : rmsNormHybrid;
      return {
        launch: async () => comm.launch(kernel, config, { data, inbox, ...shape, comm: devComm }),
        reuse: async () => other.give(0, inbox),
      };
    }
  }
}
