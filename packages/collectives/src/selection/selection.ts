import { NcclError, scalarInfo } from '@nccl-ts/core';
import { algorithmSpecs, algorithmsOf, type Algorithm } from '../algorithms/algorithm.ts';
import { backendShape } from '../backend-shape.ts';
import { defaultSelection } from './default-selection.ts';
import { ruleFits, ruleText, type SelectionQuery, type SelectionRule } from './selection-rule.ts';

/** The algorithm and launch that were selected for a collective. */
export interface Selection {
  readonly algorithm: Algorithm;
  readonly ctas: number;
  readonly threads: number;
  /** The reason for the choice, for people. */
  readonly because: string;
}

/**
 * Selects the algorithm and the launch of a collective: by `wanted`, or by the first rule that
 * fits.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the collective does not have `wanted`;
 *   `NCCLTS_NOT_SUPPORTED` if no rule fits.
 */
export function select(
  query: SelectionQuery,
  rules: readonly SelectionRule[] = defaultSelection,
  wanted?: Algorithm,
): Selection {
  const { collective, backend, nRanks } = query;
  const bytes = query.count * scalarInfo[query.element].bytes;
  const offered = algorithmsOf[collective];
  if (wanted !== undefined && !offered.includes(wanted)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${collective}: there is no algorithm ${wanted}; there is ${offered.join(', ')}.`,
    );
  }
  const rule = rules.find((candidate) => ruleFits(candidate, query));
  const algorithm = wanted ?? (query.lsaSize < nRanks ? offered.find(isBetweenDomains) : rule?.algorithm);
  if (algorithm === undefined) {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `${collective}: no rule of the selection fits ${bytes} bytes on ${nRanks} ranks of ${backend}.`,
    );
  }
  const shape = backendShape(query);
  const spec = algorithmSpecs[algorithm];
  const room = spec.room(shape);
  const requested = wanted === undefined ? rule : undefined;
  const threads = Math.min(requested?.threads ?? shape.launch.threads, room.threads);
  const bytesPerCta = spec.bytesPerCta?.(threads) ?? shape.bytesPerCta;
  const most = Math.min(requested?.ctas ?? shape.launch.ctas, room.ctas);
  const ctas = Math.max(1, Math.min(most, Math.ceil(bytes / bytesPerCta)));
  const because =
    wanted !== undefined
      ? 'the algorithm of the call'
      : query.lsaSize < nRanks
        ? `need: loads and stores reach ${query.lsaSize} ranks`
        : `the rule ${ruleText(rule)}`;
  return { algorithm, ctas, threads, because };
}

function isBetweenDomains(algorithm: Algorithm): boolean {
  return algorithmSpecs[algorithm].spansDomains;
}
