import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { NcclError, takeOptions } from '@nccl-ts/core';
import { definitionSite } from '@nccl-ts/kernel';
import { paceOf } from '../backend-shape.ts';
import { CollectiveLedger } from '../impl/collective-ledger.ts';
import { isInGroup } from '../impl/open-group.ts';
import { collectiveState } from '../state/collective-state.ts';
import { oncePerCommunicator } from '../state/once-per-communicator.ts';
import { hasDomains } from '../state/reach.ts';
import { resourceAt } from '../state/resource-at.ts';
import { shapeOn } from '../state/shape-on.ts';
import type { StreamOptions } from '../stream-options.ts';
import { checkedNorm, type AllReduceRMSNormArgs, type NormCall } from '../rms-norm/norm-call.ts';
import { normKernel, type NormArg } from '../kernels/norm-kernel.ts';
import { normShape, type NormShape } from '../rms-norm/norm-shape.ts';
import { rowExchangeRequirement } from '../fifo/row-exchange.ts';

const name = 'allReduceRMSNorm';

/** The exchange memory of each communicator, by its size. */
const exchangesOf = /* @__PURE__ */ oncePerCommunicator(async () =>
  Promise.resolve(new Map<string, Promise<DevComm>>()),
);

async function exchangeOn(comm: Communicator, { roomCtas, turnWords, parts }: NormShape): Promise<DevComm> {
  const exchanges = await exchangesOf(comm);
  // The CTAs of a row must have taken the same turns before.
  const room = `${roomCtas} ${turnWords} ${parts}`;
  let exchange = exchanges.get(room);
  if (exchange === undefined) {
    const requirement = rowExchangeRequirement({ ctas: roomCtas, turnWords }, comm.lsaSize);
    exchange = comm.createDevComm({ resourceRequirementsList: [requirement] });
    exchanges.set(room, exchange);
    exchange.catch(() => exchanges.delete(room));
  }
  return exchange;
}

/**
 * Sums rows over all ranks, adds a residual, and normalises each row by its root mean square, all
 * in one launch: `residualOut = residual + sum(send)`, and `out = residualOut /
 * sqrt(mean(residualOut ^ 2) + epsilon) * weight`. With `quantize`, `out` is rounded to e4m3 or i8,
 * with saturation.
 *
 * Every rank gets all rows. The bits are the same on all ranks and in every run. The ranks are
 * added in f32, starting at rank 0, and the sum is rounded once, after the residual is added. `out`
 * may be `send`.
 *
 * All ranks must be in one load-store domain. They must call their collectives in the same order,
 * with the same sizes, types and options. The call resolves when it is enqueued, as a launch does.
 * A signalling NaN, or a NaN whose 4 bytes are 0xfffafffa, arrives as another NaN.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument is wrong or buffers overlap in a way
 *   that is not allowed; `NCCL_INVALID_USAGE` in a group, or if another rank makes a different
 *   call; `NCCLTS_NOT_SUPPORTED` with several load-store domains, or if a row is too long for a
 *   CTA.
 * @see {@link allReduceRMSNormRows} to do the same in your own kernel.
 */
export async function allReduceRMSNorm(
  comm: Communicator,
  args: AllReduceRMSNormArgs,
  options: StreamOptions = {},
): Promise<void> {
  const call = checkedNorm(comm, args);
  const { stream } = takeOptions(name, options, { stream: true });
  const { element, output, rows, hidden } = call;
  if (isInGroup(comm)) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `${name}: cannot run in a group because it does not share a launch; call it before or after the group.`,
    );
  }
  if (hasDomains(comm)) {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `${name}: cannot reach all ${comm.nRanks} ranks because loads and stores reach ${comm.lsaSize}; ` +
        'use allReduce, and a kernel that normalises the result.',
    );
  }
  const backend = shapeOn(comm);
  const { lsaSize } = comm;
  const shape = normShape({ rows, hidden, element, lsaSize }, backend);
  const { ctas, threads, words, turnWords, parts, rowsAtOnce } = shape;
  const ledger = comm.companion(CollectiveLedger);
  if ((stream ?? comm.defaultStream).isCapturing) ledger.loseTrack();
  ledger.note(comm.rank, [
    {
      name,
      element,
      count: rows * hidden,
      op: undefined,
      root: undefined,
      selection: { algorithm: 'sentinel', ctas, threads },
      site: ledger.wantsSites ? definitionSite(allReduceRMSNorm) : undefined,
    },
  ]);
  if (rows === 0) return;
  try {
    const [devComm, arg] = [await exchangeOn(comm, shape), await argOf(comm, call)];
    const kernel = normKernel({
      element,
      output,
      scaling: call.scales !== undefined ? 'row' : call.scale !== undefined ? 'given' : 'none',
      words,
      ranks: paceOf(backend, lsaSize).ranks,
      residual: call.residual !== undefined,
      weight: call.weight !== undefined,
      shuffles: comm.capabilities.subgroups,
      parts,
      rowsAtOnce,
    });
    await comm.launch(
      kernel,
      { grid: ctas, block: threads, ...(stream === undefined ? {} : { stream }) },
      { comm: devComm, exchange: { words: resourceAt(devComm, 0).bufHandle, turnWords }, call: arg },
    );
  } catch (error) {
    ledger.loseTrack();
    throw error;
  }
}

async function argOf(comm: Communicator, call: NormCall): Promise<NormArg> {
  const { nowhere } = await collectiveState(comm, () => name);
  const { send, residual, residualOut, weight, out, scales, scale, rows, hidden, epsilon, element, output } = call;
  const absent = nowhere.cast(element);
  return {
    send: send.cast(element),
    residual: (residual ?? absent).cast(element),
    residualOut: (residualOut ?? absent).cast(element),
    weight: (weight ?? absent).cast(element),
    out: out.cast(output),
    scales: (scales ?? nowhere).cast('f32'),
    inverseScale: scale === undefined ? 1 : 1 / scale,
    rows,
    hidden,
    epsilon,
  };
}
